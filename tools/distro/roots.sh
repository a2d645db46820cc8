# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# Root file systems for ./run distro: made once by debootstrap, copied for each run, mounted, given what all steps need.

# Sets suite, mirror and script (debootstrap's, for suites that an older debootstrap does not know).
choose() {
  case $1 in
    debian12) suite=bookworm mirror=http://deb.debian.org/debian script=sid ;;
    debian13) suite=trixie mirror=http://deb.debian.org/debian script=sid ;;
    sid) suite=sid mirror=http://deb.debian.org/debian script=sid ;;
    ubuntu24.04) suite=noble mirror=http://archive.ubuntu.com/ubuntu script=gutsy ;;
    ubuntu26.04) suite=resolute mirror=http://archive.ubuntu.com/ubuntu script=gutsy ;;
    *) fail "no distribution '$1': debian12, debian13, sid, ubuntu24.04 or ubuntu26.04" ;;
  esac
}

# A root file system with nothing but the essential packages.
make_base() {
  local base=$1 options=(--variant=minbase)
  [ -e "$base/.complete" ] && return
  command -v debootstrap >/dev/null || fail "debootstrap is not installed (apt-get install debootstrap)"
  if [[ $mirror == *ubuntu* ]]; then
    local keyring=/usr/share/keyrings/ubuntu-archive-keyring.gpg
    [ -e "$keyring" ] || fail "$keyring is missing: install Ubuntu's package ubuntu-keyring"
    options+=("--keyring=$keyring")
  fi
  rm -rf --one-file-system "$base"
  mkdir -p "$base"
  echo "== distro: a base system of $suite, once"
  debootstrap "${options[@]}" "$suite" "$base" "$mirror" "/usr/share/debootstrap/scripts/$script" >"$base.log" 2>&1 ||
    fail "debootstrap failed: $(grep -m1 '^E:' "$base.log" || tail -1 "$base.log"); the network is needed, see $base.log"
  if [[ $mirror == *ubuntu* ]]; then
    printf 'deb %s %s main universe\ndeb %s %s-updates main universe\n' "$mirror" "$suite" "$mirror" "$suite" >"$base/etc/apt/sources.list"
  elif [ "$suite" != sid ]; then
    printf 'deb %s %s main\ndeb %s %s-updates main\n' "$mirror" "$suite" "$mirror" "$suite" >"$base/etc/apt/sources.list"
  fi
  # A mirror that is a snapshot of its day has lists that are formally out of date.
  echo 'Acquire::Check-Valid-Until "false";' >"$base/etc/apt/apt.conf.d/90snapshot"
  : >"$base/.complete"
}

# The mark comes last: a copy that was interrupted is none. Nothing that is mounted is ever removed with an old root.
copy_base() {
  local base=$1 root=$2
  ! grep -q " $root/" /proc/self/mountinfo || fail "something is mounted in $root, so it is not removed; see /proc/self/mountinfo"
  rm -rf --one-file-system "$root"
  cp -a --reflink=auto "$base" "$root" || fail "$base could not be copied to $root"
  rm "$root/.complete"
}

# Devices of its own: what runs inside is root, and cannot remove or change those of this machine. GPUs are shown.
mount_devices() {
  local dev=$1 node
  mount -t tmpfs -o mode=755,nosuid devices "$dev"
  mknod -m 666 "$dev/null" c 1 3
  mknod -m 666 "$dev/zero" c 1 5
  mknod -m 666 "$dev/full" c 1 7
  mknod -m 666 "$dev/random" c 1 8
  mknod -m 666 "$dev/urandom" c 1 9
  mknod -m 666 "$dev/tty" c 5 0
  ln -s /proc/self/fd "$dev/fd"
  for node in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${node%:*}" "$dev/${node#*:}"; done
  mkdir "$dev/pts" "$dev/shm"
  mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts "$dev/pts"
  ln -s pts/ptmx "$dev/ptmx"
  mount -t tmpfs -o mode=1777 shm "$dev/shm"
  for node in /dev/dri/* /dev/nvidia*; do
    if [ -c "$node" ]; then
      mkdir -p "$(dirname "$dev/${node#/dev/}")"
      cp -a "$node" "$dev/${node#/dev/}"
    fi
  done
}

# The labelled videos are there to read alone.
mount_in() {
  local root=$1 data=${VIGIL_DATA:-$repo/../shared/data}
  # A mount by itself: tests with mount namespaces of their own (monitor-disk, monitor-hosts) change how "/" propagates,
  # which only a mount can.
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount_devices "$root/dev"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  [ -e "$root/etc/hosts" ] || echo "127.0.0.1 localhost" >"$root/etc/hosts" # Debian 12: debootstrap makes none
  if [ -d "$data" ]; then
    mkdir -p "$root/src/data"
    mount --bind "$(realpath "$data")" "$root/src/data"
    mount -o remount,ro,bind "$root/src/data"
  fi
}

# Runs what is given, a pip, inside; it trusts the certificates that this machine trusts.
trusting() {
  mkdir -p "$root/src"
  cp -L /etc/ssl/certs/ca-certificates.crt "$root/src/certificates.crt"
  inside PIP_CERT=/src/certificates.crt PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore "$@"
}

# What some tests use: packages of the distribution, and of PyPI what no distribution has. What there is none of is said
# and left out; the test is skipped then.
test_packages() {
  local root=$1 log=$1.prepare.log package wanted=()
  echo "== distro: packages that some tests use"
  inside apt-get update -q -o APT::Update::Error-Mode=any >"$log" 2>&1 ||
    fail "apt-get update failed inside: $(grep -m1 -E '^[EW]:' "$log" || tail -1 "$log"); the network is needed, see $log"
  for package in "${packages_tests[@]}"; do
    # On Ubuntu chromium is an empty package that asks for snap.
    if [[ $mirror == *ubuntu* && $package == chromium* ]]; then continue; fi
    # apt-cache show also answers for a name that others only mention.
    if [[ $(inside apt-cache policy "$package" 2>/dev/null) =~ Candidate:\ [^\(] ]]; then wanted+=("$package"); else echo "distro: $suite has no package $package"; fi
  done
  inside apt-get install -y -q --no-install-recommends "${wanted[@]}" >>"$log" 2>&1 ||
    fail "apt-get install failed inside: $(grep -m1 '^E:' "$log" || tail -1 "$log"); see $log"
  inside python3 -m venv --system-site-packages /opt/python >>"$log" 2>&1 || fail "no Python environment: $(tail -1 "$log"); see $log"
  for package in "${python_tests[@]}"; do
    trusting /opt/python/bin/pip install -q --only-binary :all: "$package" >>"$log" 2>&1 ||
      echo "distro: no $package from PyPI for $suite: $(grep -m1 '^ERROR' "$log" | cut -c1-200)"
  done
  # Tests that run with the distribution's own Python find this by VIGIL_AXE.
  inside sh -c 'cp /opt/python/lib/python3*/site-packages/axe_playwright_python/axe.min.js /opt/axe.min.js' || true
  # A build that is there was made without them.
  [ ! -f "$root/src/vigil/build/build.ninja" ] || inside meson setup --reconfigure /src/vigil/build >>"$log" 2>&1 || true
}

# Gives the root what the tests need. A root that is kept gets only what has changed since: files in it hold what it has.
prepare() {
  local root=$1 wanted="${packages_tests[*]} ${python_tests[*]}"
  if [ "$(cat "$root/.test-packages" 2>/dev/null)" != "$wanted" ]; then
    test_packages "$root"
    echo "$wanted" >"$root/.test-packages"
  fi
  if [ -n "${GST_SOURCE:-}" ]; then
    wanted=$(git -C "$GST_SOURCE" rev-parse HEAD 2>/dev/null || echo unknown) wanted+=" $(gstreamer_features | sha256sum)"
    if [ "$(cat "$root/.gstreamer" 2>/dev/null)" != "$wanted" ]; then
      build_gstreamer "$root"
      echo "$wanted" >"$root/.gstreamer"
    fi
  elif [ -n "${GST_CLONE:-}" ] && [ ! -x "$root/usr/local/bin/gst-validate-1.0" ]; then
    build_validate "$root"
  fi
  : >"$root/.complete"
}
