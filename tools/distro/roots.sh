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
  rm -rf "$base"
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

# The mark comes last: a copy that was interrupted is none.
copy_base() {
  local base=$1 root=$2
  rm -rf "$root"
  cp -a --reflink=auto "$base" "$root" || fail "$base could not be copied to $root"
  rm "$root/.complete"
}

# What the compiler made is kept for later runs, in a cache outside of the root.
mount_in() {
  local root=$1 data=${VIGIL_DATA:-$repo/../shared/data}
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mkdir -p "$root/src/ccache" "$root.ccache"
  mount --bind "$root.ccache" "$root/src/ccache"
  if [ -d "$data" ]; then
    mkdir -p "$root/src/data"
    mount --bind "$(realpath "$data")" "$root/src/data"
    mount -o remount,ro,bind "$root/src/data"
  fi
}

# The package lists, what some tests use, and GStreamer's source where it was given.
prepare() {
  local root=$1 log=$1.prepare.log package wanted=()
  echo "== distro: packages that some tests use"
  inside apt-get update -q -o APT::Update::Error-Mode=any >"$log" 2>&1 ||
    fail "apt-get update failed inside: $(grep -m1 -E '^[EW]:' "$log" || tail -1 "$log"); the network is needed, see $log"
  for package in "${packages_tests[@]}"; do
    # On Ubuntu chromium is an empty package that asks for snap.
    if [[ $mirror == *ubuntu* && $package == chromium* ]]; then continue; fi
    if inside apt-cache show "$package" >/dev/null 2>&1; then wanted+=("$package"); else echo "distro: $suite has no package $package"; fi
  done
  inside apt-get install -y -q --no-install-recommends "${wanted[@]}" >>"$log" 2>&1 ||
    fail "apt-get install failed inside: $(grep -m1 '^E:' "$log" || tail -1 "$log"); see $log"
  if [ -n "${GST_SOURCE:-}" ]; then build_gstreamer "$root"; fi
  : >"$root/.complete"
}
