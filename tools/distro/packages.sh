#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The Debian packages as their user meets them: built, looked at by lintian, installed, used with no variable set, removed, purged.
# Installs and removes packages, so it is for a root file system of ./run distro alone.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
[ -d /src/vigil ] || { echo "packages.sh: this is no root of ./run distro; there it is the step 'packages'" >&2; exit 1; }

./run deps build-essential debhelper dpkg-dev lintian systemd
build=/src/packages
mkdir -p $build/vigil
tar c --exclude=./build . | tar x -C $build/vigil
(cd $build/vigil && dpkg-buildpackage -b -us -uc)
# Debian 12's lintian finds nothing; later ones have later rules.
fails=error,warning
! grep -q 'PRETTY_NAME="Debian GNU/Linux 12' /etc/os-release || fails+=,info,pedantic
lintian --profile debian --pedantic -I --fail-on $fails $build/vigil_*.changes
# From GStreamer 1.24 on the plugin is linked to libgstanalytics, of the same package as libgstcuda.
dpkg-deb -x $build/gstreamer1.0-vigil_*.deb $build/unpacked
linked=$(readelf -d $build/unpacked/usr/lib/*/gstreamer-1.0/libgstvigil.so | grep NEEDED)
if dpkg-deb -f $build/gstreamer1.0-vigil_*.deb Depends | grep -qE 'opencl|gstreamer-gl' || grep -qE 'OpenCL|gstgl|gstcuda' <<<"$linked"; then
  echo "packages.sh: gstreamer1.0-vigil depends on a library that the plugin opens itself, where it is there" >&2
  exit 1
fi

apt-get install -y -q --no-install-recommends --reinstall --allow-downgrades \
  $build/gstreamer1.0-vigil_*.deb $build/vigil-tools_*.deb $build/vigil-monitor_*.deb $build/vigil-monitor-detector_*.deb
unset GST_PLUGIN_PATH GST_PRESET_PATH
(cd / && $build/vigil/debian/tests/smoke && gst-inspect-1.0 cudamog)
for tool in vigil-demo vigil-eval vigil-train vigil-tune vigil-scan vigil-monitor; do
  (cd / && "$tool" --help >/dev/null) || { echo "packages.sh: $tool --help failed" >&2; exit 1; }
done
id _vigil >/dev/null || { echo "packages.sh: the service has no user _vigil" >&2; exit 1; }
unit=$(dpkg -L vigil-monitor | grep '/vigil-monitor.service$')
systemd-analyze verify --man=no "$unit" # man need not be installed
echo "packages.sh: $unit is in order"

mkdir -p /var/cache/vigil /var/lib/vigil/clips
apt-get remove -y -q gstreamer1.0-vigil
if (cd / && gst-inspect-1.0 cudamog >/dev/null 2>&1); then
  echo "packages.sh: cudamog is still there after apt-get remove" >&2
  exit 1
fi
apt-get purge -y -q vigil-monitor
for path in /etc/vigil /var/cache/vigil; do
  [ ! -e $path ] || { echo "packages.sh: $path is still there after apt-get purge" >&2; exit 1; }
done
[ -d /var/lib/vigil/clips ] || { echo "packages.sh: apt-get purge took the recordings away" >&2; exit 1; }
sizes=$(cd $build && du -h --apparent-size gstreamer1.0-vigil_*.deb vigil-tools_*.deb vigil-monitor_*.deb vigil-monitor-detector_*.deb | awk '{printf "%s%s %s", (NR > 1 ? ", " : ""), $2, $1}')
echo "built, looked at, installed, used, removed and purged: $sizes"
