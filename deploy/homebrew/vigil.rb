# typed: strict
# frozen_string_literal: true

# SPDX-License-Identifier: LGPL-2.1-or-later
# The elements, vigil-monitor and the tools for Homebrew on Linux, without CUDA. Not published: there is no
# release to name yet, so that it builds a clone, whose place replaces the address below:
# `brew install --HEAD --formula deploy/homebrew/vigil.rb`.
class Vigil < Formula
  desc "GStreamer elements and a monitor that watch live video on GPUs"
  homepage "https://vigil.example/"
  license "LGPL-2.1-or-later"
  head "https://vigil.example/vigil.git", branch: "main"

  depends_on "eigen" => :build
  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "opencl-headers" => :build
  depends_on "pkgconf" => :build
  depends_on "curl"
  depends_on "gmp"
  depends_on "gnutls"
  depends_on "gstreamer"
  depends_on "highway"
  depends_on "liblinear"
  depends_on "libmicrohttpd"
  depends_on "libpng"
  depends_on "libsodium"
  depends_on "libzip"
  depends_on :linux
  depends_on "mesa"
  depends_on "mosquitto"
  depends_on "nettle"
  depends_on "ocl-icd"
  depends_on "openblas"
  depends_on "sqlite"
  depends_on "tbb"
  depends_on "yaml-cpp"
  depends_on "zlib"

  def install
    args = %w[-Dcuda=disabled -Ddetector=disabled -Dtests=disabled -Dexamples=disabled]
    system "meson", "setup", "build", *args, *std_meson_args
    system "meson", "compile", "-C", "build", "--verbose"
    system "meson", "install", "-C", "build"
  end

  service do
    run [opt_bin/"vigil-monitor", "--config", etc/"vigil/monitor.yaml", "--storage", var/"lib/vigil"]
    keep_alive true
  end

  test do
    ENV["GST_PLUGIN_PATH"] = lib/"gstreamer-1.0"
    gstreamer = Formula["gstreamer"].opt_bin
    system gstreamer/"gst-launch-1.0", "scenetestsrc", "num-buffers=9", "!", "cudamog", "backend=cpu", "!", "fakesink"
    assert_match version.to_s, shell_output("#{bin}/vigil-monitor --version") unless head?
  end
end
