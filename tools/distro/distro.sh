#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# ./run distro: builds, demonstrates and tests the last commit as a new user of another distribution would.
#
# Each run starts from a fresh root file system, which debootstrap makes once and this script copies. Inside, the two
# commands of the README run on an export of HEAD: ./run demo and ./run test. /proc, /dev and /sys are mounted (PoCL finds
# the processor's cores in /sys) in a mount namespace of their own, so that nothing stays mounted whatever happens.
set -euo pipefail
repo=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
roots=${VIGIL_DISTRO_DIR:-$repo/build-distro}

usage() {
  cat <<'TEXT'
./run distro NAME [STEP ...]

NAME   debian12, debian13, sid, ubuntu24.04, ubuntu26.04
STEP   build, demo, test, shell or a command in quotes; demo and test when none is given. Any failure ends the run.

Needs root, debootstrap, 6 GB of disk in build-distro/ and the network. Environment:
  GST_SOURCE=DIR      a git checkout of GStreamer: it is built first, inside, and used in place of the distribution's
  VIGIL_DATA=DIR      labelled videos for the quality tests (default ../shared/data, where that exists)
  VIGIL_DISTRO_DIR    where the root file systems are kept (default build-distro)
  VIGIL_DISTRO_KEEP=1 goes on in the root of the last run, with its packages and its build; the result says so
  MESON_ARGS          as for ./run
TEXT
}

fail() {
  echo "distro: $*" >&2
  exit 1
}

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

# A root file system with nothing but the essential packages, made once.
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
  echo "distro: a base system of $suite, once"
  debootstrap "${options[@]}" "$suite" "$base" "$mirror" "/usr/share/debootstrap/scripts/$script" >"$base.log" 2>&1 ||
    fail "debootstrap failed: see $base.log"
  if [[ $mirror == *ubuntu* ]]; then
    printf 'deb %s %s main universe\ndeb %s %s-updates main universe\n' "$mirror" "$suite" "$mirror" "$suite" >"$base/etc/apt/sources.list"
  elif [ "$suite" != sid ]; then
    printf 'deb %s %s main\ndeb %s %s-updates main\n' "$mirror" "$suite" "$mirror" "$suite" >"$base/etc/apt/sources.list"
  fi
  # A mirror that is a snapshot of its day has lists that are formally out of date.
  echo 'Acquire::Check-Valid-Until "false";' >"$base/etc/apt/apt.conf.d/90snapshot"
  : >"$base/.complete"
}

inside() { chroot "$root" /usr/bin/env -i HOME=/root TERM="${TERM:-dumb}" LANG=C.UTF-8 \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }

# GStreamer's own newest source, for /usr/local inside: the libraries, and of the plugins those that the tests use.
build_gstreamer() {
  echo "distro: GStreamer $(git -C "$GST_SOURCE" log -1 --format='%h of %cs')"
  mkdir -p "$root/src/gstreamer"
  git -C "$GST_SOURCE" archive HEAD | tar x -C "$root/src/gstreamer"
  inside apt-get update -q >"$root/src/gstreamer.log" 2>&1
  inside apt-get install -y -q --no-install-recommends g++ ninja-build pkg-config python3 python3-pip python3-venv flex bison git ca-certificates \
    libglib2.0-dev libgl-dev libegl-dev libgles-dev libdrm-dev libgudev-1.0-dev libjpeg-dev libpng-dev zlib1g-dev libx264-dev liborc-0.4-dev \
    >>"$root/src/gstreamer.log" 2>&1 || fail "GStreamer's build dependencies: see $root/src/gstreamer.log"
  # The newest source needs a newer Meson than some distributions have.
  inside sh -c 'python3 -m venv /opt/meson && /opt/meson/bin/pip install -q meson' >>"$root/src/gstreamer.log" 2>&1 || fail "no Meson from PyPI: see $root/src/gstreamer.log"
  inside sh -c 'cd /src/gstreamer && /opt/meson/bin/meson setup build --prefix=/usr/local --libdir=lib --wrap-mode=nofallback \
    -Dauto_features=disabled -Dbase=enabled -Dgood=enabled -Dbad=enabled -Dugly=enabled -Dgpl=enabled -Dgst-examples=disabled -Dtests=disabled \
    -Dexamples=disabled -Dtools=enabled -Dintrospection=disabled -Dgl=enabled \
    -Dgstreamer:check=enabled -Dgstreamer:tools=enabled -Dgstreamer:coretracers=enabled \
    -Dgst-plugins-base:gl=enabled -Dgst-plugins-base:gl_platform=egl -Dgst-plugins-base:gl_winsys=egl,surfaceless -Dgst-plugins-base:gl_api=opengl,gles2 \
    -Dgst-plugins-base:app=enabled -Dgst-plugins-base:videotestsrc=enabled -Dgst-plugins-base:videoconvertscale=enabled \
    -Dgst-plugins-base:videorate=enabled -Dgst-plugins-base:playback=enabled -Dgst-plugins-base:typefind=enabled -Dgst-plugins-base:rawparse=enabled -Dgst-plugins-base:compositor=enabled \
    -Dgst-plugins-good:isomp4=enabled -Dgst-plugins-good:png=enabled -Dgst-plugins-good:jpeg=enabled -Dgst-plugins-good:multifile=enabled \
    -Dgst-plugins-good:avi=enabled -Dgst-plugins-good:matroska=enabled -Dgst-plugins-good:videofilter=enabled -Dgst-plugins-good:videobox=enabled \
    -Dgst-plugins-good:debugutils=enabled -Dgst-plugins-good:autodetect=enabled -Dgst-plugins-good:deinterlace=enabled -Dgst-plugins-good:y4m=enabled \
    -Dgst-plugins-bad:nvcodec=enabled -Dgst-plugins-bad:videoparsers=enabled -Dgst-plugins-bad:debugutils=enabled \
    -Dgst-plugins-ugly:x264=enabled && ninja -C build && /opt/meson/bin/meson install -C build --no-rebuild' \
    >>"$root/src/gstreamer.log" 2>&1 || fail "GStreamer does not build: see $root/src/gstreamer.log"
  inside ldconfig
}

name=${1:-}
case $name in '' | -h | --help | help) usage; exit 0 ;; esac
shift
choose "$name"
[ "$(id -u)" = 0 ] || fail "a chroot needs root: sudo ./run distro $name"
if [ -n "${GST_SOURCE:-}" ]; then
  GST_SOURCE=$(realpath "$GST_SOURCE")
  git -C "$GST_SOURCE" rev-parse HEAD >/dev/null 2>&1 || fail "GST_SOURCE=$GST_SOURCE is no git checkout of GStreamer"
fi
# Mounts go with this process.
if [ -z "${VIGIL_DISTRO_MOUNTS:-}" ]; then
  export VIGIL_DISTRO_MOUNTS=1
  exec unshare --mount --propagation private "$0" "$name" "$@"
fi

mkdir -p "$roots"
base=$roots/$name.base root=$roots/$name
[ -n "${GST_SOURCE:-}" ] && root=$root-gstreamer
make_base "$base"
fresh=1
if [ "${VIGIL_DISTRO_KEEP:-0}" = 1 ] && [ -e "$root/.complete" ]; then fresh=0; fi
if [ $fresh = 1 ]; then
  rm -rf "$root"
  cp -a --reflink=auto "$base" "$root"
fi
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
cp /etc/resolv.conf "$root/etc/resolv.conf"
data=${VIGIL_DATA:-$repo/../shared/data}
if [ -d "$data" ]; then
  mkdir -p "$root/src/data"
  mount --bind "$(realpath "$data")" "$root/src/data"
  mount -o remount,ro,bind "$root/src/data"
fi
if [ -n "${GST_SOURCE:-}" ] && [ $fresh = 1 ]; then build_gstreamer; fi

commit=$(git -C "$repo" rev-parse HEAD)
mkdir -p "$root/src/vigil"
git -C "$repo" archive HEAD | tar x -C "$root/src/vigil"
[ $# -gt 0 ] || set -- demo test
began=$SECONDS
for step in "$@"; do
  case $step in
    build | demo | test) command="./run $step" ;;
    shell) command="./run shell" ;;
    *) command=$step ;;
  esac
  from=$SECONDS
  inside MESON_ARGS="${MESON_ARGS:-}" VIGIL_DATA=/src/data LD_LIBRARY_PATH="${GST_SOURCE:+/usr/local/lib}" \
    PKG_CONFIG_PATH="${GST_SOURCE:+/usr/local/lib/pkgconfig}" sh -c "cd /src/vigil && $command" ||
    fail "$name: '$command' failed (commit ${commit:0:12}, root $root)"
  echo "distro: $name: '$command' took $((SECONDS - from)) s"
done
version() { inside LD_LIBRARY_PATH="${GST_SOURCE:+/usr/local/lib}" "$@" --version 2>/dev/null | grep -m1 "[0-9]\.[0-9]" || echo "no $1"; }
echo "distro: $name passed: $* in $((SECONDS - began)) s, commit ${commit:0:12}, $(version gst-inspect-1.0), $(version g++)$([ $fresh = 1 ] || echo ', in a root that was kept')"
