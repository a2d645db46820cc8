#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# ARM64 on a machine that has none: everything but CUDA is compiled by a cross compiler, and its tests run by qemu-user.
#
#   arm64.sh build          compiles it, warnings as errors, in build-arm64/
#   arm64.sh test [ARG]     the same, then the tests; ARG goes to meson test. Without ARG those that need no graphics driver
#   arm64.sh packages       the Debian packages for ARM64
#
# Installs packages, so it is for a root file system of ./run distro alone. Tests that start ARM64 programs by themselves need
# the kernel to know the interpreter: install qemu-user-static on the machine itself, which registers it (binfmt_misc).
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
[ -d /src/vigil ] || { echo "arm64.sh: this is no root of ./run distro; there it is the step 'tools/distro/arm64.sh'" >&2; exit 1; }
build=build-arm64
arch=arm64
triplet=aarch64-linux-gnu

# Libraries and plugins are needed for ARM64, programs of the build for this machine. Packages without code are both.
packages_for_arm64() {
  local package
  dpkg --add-architecture $arch
  apt-get update -q
  for package in $(./run deps --list); do
    case $package in
      g++ | meson | ninja-build | pkgconf | python3 | pocl-opencl-icd) continue ;;
    esac
    if [ "$(apt-cache show "$package" | sed -n '0,/^Architecture: /s///p')" = all ]; then echo "$package"; else echo "$package:$arch"; fi
  done >/tmp/packages-$arch
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends crossbuild-essential-$arch qemu-user-static \
    meson ninja-build pkgconf python3 $(cat /tmp/packages-$arch)
}

configure() {
  [ ! -f $build/build.ninja ] || return 0
  cat >/tmp/cross-$arch.ini <<TEXT
[binaries]
c = '$triplet-gcc'
cpp = '$triplet-g++'
ar = '$triplet-ar'
strip = '$triplet-strip'
pkgconfig = '$triplet-pkg-config'
exe_wrapper = 'qemu-aarch64-static'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
TEXT
  # shellcheck disable=SC2086
  meson setup $build --cross-file /tmp/cross-$arch.ini -Dcuda=disabled -Dwerror=true -Dunity=on -Dunity_size=8 ${MESON_ARGS:-}
}

run_tests() {
  local status=0
  [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] ||
    echo "arm64.sh: this kernel does not start ARM64 programs by itself, so tests that start one fail: install qemu-user-static outside"
  # Emulated code takes about ten times as long.
  CK_TIMEOUT_MULTIPLIER=20 meson test -C $build --no-rebuild --print-errorlogs --timeout-multiplier 20 "$@" || status=$?
  python3 tests/summary.py $build/meson-logs/testlog.json
  return $status
}

command=${1:-test}
[ $# -eq 0 ] || shift
case $command in
  build | test)
    packages_for_arm64
    configure
    ninja -C $build
    [ "$command" = build ] || run_tests "$@" ;;
  packages)
    packages_for_arm64
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends build-essential debhelper dpkg-dev
    packages=/src/packages-$arch
    rm -rf $packages
    mkdir -p $packages/vigil
    tar c --exclude=./build --exclude=./$build . | tar x -C $packages/vigil
    (cd $packages/vigil && DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -b -us -uc -a$arch -Pcross,nocheck)
    ls $packages/*.deb ;;
  *) echo "arm64.sh: no command '$command': build, test or packages" >&2; exit 2 ;;
esac
