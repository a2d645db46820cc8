# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# GStreamer's own source for ./run distro, built into /usr/local. With GST_SOURCE: the libraries, those plugins that the
# tests, the tools and the monitor use, and GstValidate. With GST_CLONE: GstValidate alone, of the distribution's own
# version, since no distribution packages it.

gstreamer_packages=(g++ ninja-build pkgconf python3 python3-pip python3-venv flex bison ca-certificates
  libglib2.0-dev libgl-dev libegl-dev libgles-dev libdrm-dev libgudev-1.0-dev libjpeg-dev libpng-dev zlib1g-dev libx264-dev
  libvpx-dev libjson-glib-dev libsoup-3.0-dev libavcodec-dev libavformat-dev libavfilter-dev libavutil-dev libx11-dev libx11-xcb-dev)

gstreamer_features() {
  local feature
  printf '%s\n' --prefix=/usr/local --libdir=lib --buildtype=debugoptimized --wrap-mode=nofallback -Dauto_features=disabled \
    -Dbase=enabled -Dgood=enabled -Dbad=enabled -Dugly=enabled -Dlibav=enabled -Dgpl=enabled -Dtools=enabled -Ddevtools=enabled \
    -Dtests=disabled -Dexamples=disabled -Dgst-examples=disabled -Dintrospection=disabled \
    -Dorc=disabled -Dgst-plugins-base:gl_platform=egl,glx -Dgst-plugins-base:gl_winsys=egl,surfaceless,x11 \
    -Dgst-plugins-base:gl_api=opengl,gles2
  for feature in check tools coretracers; do echo "-Dgstreamer:$feature=enabled"; done
  for feature in gl x11 app tcp volume typefind playback rawparse compositor videorate videotestsrc videoconvertscale audiotestsrc \
    audioconvert audioresample; do echo "-Dgst-plugins-base:$feature=enabled"; done
  for feature in avi png jpeg vpx law rtp rtsp udp y4m isomp4 matroska multifile autodetect debugutils deinterlace imagefreeze \
    multipart rtpmanager soup videobox videocrop videofilter audioparsers wavenc wavparse; do echo "-Dgst-plugins-good:$feature=enabled"; done
  for feature in nvcodec debugutils mpegtsdemux mpegtsmux videoparsers tensordecoders; do echo "-Dgst-plugins-bad:$feature=enabled"; done
  printf '%s\n' -Dgst-plugins-ugly:x264=enabled -Dgst-devtools:validate=enabled
}

build_gstreamer() {
  local root=$1 log=$1.gstreamer.log features
  echo "== distro: GStreamer $(git -C "$GST_SOURCE" log -1 --format='%h of %cs' 2>/dev/null || echo "from $GST_SOURCE") is built first, see $log"
  inside apt-get install -y -q --no-install-recommends "${gstreamer_packages[@]}" >"$log" 2>&1 ||
    fail "the packages that GStreamer is built with: $(grep -m1 '^E:' "$log" || tail -1 "$log"); see $log"
  mkdir -p "$root/src/gstreamer"
  tar c -C "$GST_SOURCE" --exclude=./.git . | tar x -C "$root/src/gstreamer"
  # The newest source needs a newer Meson than some distributions have.
  trusting sh -c 'python3 -m venv /opt/meson && /opt/meson/bin/pip install -q meson' >>"$log" 2>&1 ||
    fail "no Meson from PyPI: $(tail -1 "$log"); see $log"
  mapfile -t features < <(gstreamer_features)
  local setup=(setup build)
  [ ! -f "$root/src/gstreamer/build/build.ninja" ] || setup=(setup --reconfigure build)
  inside sh -c 'cd /src/gstreamer && /opt/meson/bin/meson "$@" && ninja -C build &&
    /opt/meson/bin/meson install -C build --no-rebuild' sh "${setup[@]}" "${features[@]}" >>"$log" 2>&1 ||
    fail "GStreamer does not build: $(grep -m1 -iE 'error' "$log" || tail -1 "$log"); see $log"
  inside ldconfig
}

# The version that GstValidate is built from: the distribution's own, or else the newest of its series, as
# GstValidate 1.28.6 accepts any GStreamer 1.28. Prints nothing where the clone has none.
validate_tag() {
  local version=$1 series
  series=${version%.*}
  git -C "$GST_CLONE" tag --list "$version" "$series.*" | grep -xE '[0-9]+\.[0-9]+\.[0-9]+' | sort -V |
    awk -v own="$version" '$0 == own { found = 1 } { newest = $0 } END { print found ? own : newest }'
}

build_validate() {
  local root=$1 log=$1.validate.log version tag
  inside apt-get install -y -q --no-install-recommends gcc meson ninja-build pkgconf libjson-glib-dev \
    libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev >"$log" 2>&1 ||
    fail "the packages that GstValidate is built with: $(grep -m1 '^E:' "$log" || tail -1 "$log"); see $log"
  version=$(inside pkg-config --modversion gstreamer-1.0)
  tag=$(validate_tag "$version")
  [ -n "$tag" ] || fail "GST_CLONE=$GST_CLONE has no tag of GStreamer ${version%.*}: git fetch --tags"
  echo "== distro: GstValidate $tag is built for GStreamer $version, see $log"
  rm -rf "$root/src/gst-devtools"
  mkdir -p "$root/src/gst-devtools"
  git -C "$GST_CLONE" archive "$tag:subprojects/gst-devtools" | tar x -C "$root/src/gst-devtools"
  inside sh -c 'cd /src/gst-devtools && meson setup build --prefix=/usr/local --libdir=lib -Dauto_features=disabled \
    -Dvalidate=enabled -Dtools=enabled && ninja -C build && meson install -C build --no-rebuild' >>"$log" 2>&1 ||
    fail "GstValidate $tag does not build: $(grep -m1 -iE 'error' "$log" || tail -1 "$log"); see $log"
  inside ldconfig
}
