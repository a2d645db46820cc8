#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# ./run distro: builds, demonstrates and tests the last commit as a new user of another distribution would.
#
# Each run starts from a fresh root file system, which debootstrap makes once (roots.sh) and this script copies. Inside, the
# commands of the README run on the files of HEAD: ./run demo, ./run test. /proc, /sys (PoCL finds the processor's cores there)
# and a /dev of its own are mounted in a mount namespace, so that nothing stays mounted whatever happens.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
repo=$(cd "$here/../.." && pwd)
roots=$(realpath -m "${VIGIL_DISTRO_DIR:-$repo/build-distro}")

usage() {
  cat <<'TEXT'
./run distro NAME [STEP ...]

NAME   debian12, debian13, sid, ubuntu24.04, ubuntu26.04
STEP   build, demo, test, packages (the Debian packages: built, installed, used, removed), shell, or a command in quotes;
       demo and test when none is given. 'tools/distro/arm64.sh test' compiles for ARM64 and runs the tests by qemu-user,
       'tools/distro/arm64.sh packages' makes packages for it. All steps run, and a table says at the end how each went, what
       failed and what was skipped for which reason.

Needs root, debootstrap, 8 GB of disk in build-distro/ and the network. Environment:
  GST_SOURCE=DIR      GStreamer's source: it is built first, inside, and used instead of the distribution's
  GST_CLONE=DIR       a clone of GStreamer's repository with its tags: GstValidate is built from the tag of the
                      distribution's version. No distribution packages it, and three tests are skipped without
  VIGIL_DATA=DIR      labelled videos for the quality tests (default ../shared/data, where that exists)
  VIGIL_DISTRO_DIR    where the root file systems and the results are kept (default build-distro)
  VIGIL_DISTRO_KEEP=1 goes on in the root of the last run, with its packages and its build, as after an interruption;
                      the result says so
  MESON_ARGS          as for ./run
TEXT
}

fail() {
  echo "distro: $*" >&2
  exit 1
}
. "$here/roots.sh"
. "$here/gstreamer.sh"

# What some tests use and are skipped without. A package that a distribution does not have is left out.
packages_tests=(python3-gi gir1.2-gst-rtsp-server-1.0 mosquitto mosquitto-clients openssl libfaketime
  python3-numpy python3-yaml python3-venv python3-selenium python3-cryptography chromium chromium-driver prometheus
  iproute2 systemd kubernetes-client slurmctld slurmd slurm-client munge)
python_tests=(schemathesis axe-playwright-python ray motmetrics trackeval kubernetes-validate) # from PyPI

inside() {
  chroot "$root" /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PATH=/opt/python/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    MESON_ARGS="${MESON_ARGS:-}" VIGIL_DATA=/src/data \
    $([ ! -e "$root/opt/axe.min.js" ] || echo VIGIL_AXE=/opt/axe.min.js) \
    ${GST_SOURCE:+LD_LIBRARY_PATH=/usr/local/lib PKG_CONFIG_PATH=/usr/local/lib/pkgconfig} "$@"
}

# HEAD's files. Those that did not change since the last run keep their time, so that a kept build goes on.
check_out() {
  mkdir -p "$root/src/vigil"
  GIT_INDEX_FILE=$root/src/vigil.index git -C "$repo" --work-tree="$root/src/vigil" read-tree --reset -u HEAD
}

free_megabytes() { df --output=avail -BM "$1" | tail -1 | tr -dc 0-9; }

# Runs a step with its output shown and kept; adds its line to the table.
run_step() {
  local step=$1 command from=$SECONDS outcome=passed what='' log
  case $step in
    build | demo | test) command="./run $step" ;;
    shell) command="./run shell" ;;
    packages) command=tools/distro/packages.sh ;;
    *) command=$step ;;
  esac
  number=$((number + 1))
  log=$results/$number-$(tr -cs '[:alnum:]\n' - <<<"${step:0:30}").log
  echo "== distro: $full_name: $command"
  if [ "$step" = shell ]; then
    inside sh -c "cd /src/vigil && $command" || outcome=FAILED
  else
    inside sh -c "cd /src/vigil && $command" </dev/null 2>&1 | tee "$log" || outcome=FAILED
    what=$(tail -1 "$log" | tr -d '\r' | cut -c1-100)
  fi
  if [[ $command == "./run test"* ]]; then
    cp "$root"/src/vigil/build/meson-logs/testlog.* "$results" 2>/dev/null || true
    details=$(inside python3 /src/vigil/tools/distro/outcome.py /src/vigil/build/meson-logs/testlog.json /src/vigil/tests/summary.py || true)$'\n'
  fi
  [ $outcome = passed ] || failed=1
  table+=$(printf '%-20.20s %-7s %6d s  %s' "$step" "$outcome" $((SECONDS - from)) "$what")$'\n'
}

# The last number of the first line that has one: "g++ (Debian 14.2.0-19) 14.2.0".
version() {
  local text
  text=$(inside "$@" --version 2>/dev/null) || true # whole, so that no pipe breaks
  sed -n '/[0-9]\.[0-9]/ { s/.*[^0-9.]\([0-9][0-9.]*[0-9]\).*/\1/; p; q }' <<<"${text:-(none)}" | grep . || echo '(none)'
}

# Bash has read all of this before it runs any: a change of the file while it runs does nothing.
main() {
  name=${1:-}
  case $name in '' | -h | --help | help) usage; exit 0 ;; esac
  shift
  choose "$name"
  [ "$(id -u)" = 0 ] || fail "a chroot needs root: sudo ./run distro $name"
  full_name=$name
  if [ -n "${GST_SOURCE:-}" ]; then
    [ -f "$GST_SOURCE/subprojects/gstreamer/meson.build" ] ||
      fail "GST_SOURCE=$GST_SOURCE is not GStreamer's source (there is no subprojects/gstreamer/meson.build)"
    GST_SOURCE=$(realpath "$GST_SOURCE")
    full_name=$name-gstreamer
  fi
  if [ -n "${GST_CLONE:-}" ]; then
    git -C "$GST_CLONE" rev-parse --git-dir >/dev/null 2>&1 || fail "GST_CLONE=$GST_CLONE is no clone of GStreamer's repository"
    GST_CLONE=$(realpath "$GST_CLONE")
  fi
  # Mounts go with this process.
  if [ -z "${VIGIL_DISTRO_MOUNTS:-}" ]; then
    unshare --mount true 2>/dev/null || fail "mount namespaces are not allowed here; a container needs the right to mount (docker run --privileged)"
    export VIGIL_DISTRO_MOUNTS=1
    exec unshare --mount --propagation private "$0" "$name" "$@"
  fi

  mkdir -p "$roots" || fail "$roots cannot be made: set VIGIL_DISTRO_DIR to a folder with 8 GB of space"
  base=$roots/$name.base root=$roots/$full_name results=$roots/results/$full_name
  exec 9>"$root.lock"
  flock -n 9 || fail "another ./run distro works in $root"
  fresh=1
  if [ "${VIGIL_DISTRO_KEEP:-0}" = 1 ] && [ -e "$root/.complete" ]; then fresh=0; fi
  [ $fresh = 0 ] || [ "$(free_megabytes "$roots")" -ge 8000 ] ||
    fail "$roots has only $(free_megabytes "$roots") MB free, but 8000 are needed: make room, or set VIGIL_DISTRO_DIR to another disk"
  make_base "$base"
  if [ $fresh = 1 ]; then copy_base "$base" "$root"; fi
  mount_in "$root"
  prepare "$root"
  rm -rf "$results"
  mkdir -p "$results"

  commit=$(git -C "$repo" log -1 --format=%h --abbrev=12 HEAD)
  check_out
  [ $# -gt 0 ] || set -- demo test
  table='' details='' failed=0 number=0
  for step in "$@"; do run_step "$step"; done
  cat <<TEXT | tee "$results/table.txt" || true

distro: $full_name, commit $commit, GStreamer $(version gst-inspect-1.0), GCC $(version g++), $([ $fresh = 1 ] && echo 'a fresh root' || echo 'in a root that was kept'), $(date -u +%Y-%m-%d)
$table
${details}Logs: $results
TEXT
  [ "$(free_megabytes "$roots")" -ge 100 ] || echo "distro: the disk of $roots is full: make room, then try again" >&2
  exit $failed
}
main "$@"
