// SPDX-License-Identifier: LGPL-2.1-or-later
// What the reference and the backends share: the parameters' meaning and checks. No loop over pixels.
#include "kernels/bilateral/bilateral.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>

namespace vigil::bilateral {

const char *name_of(Weighting w) {
  return w == Weighting::intensity ? "intensity" : "channels";
}
const char *name_of(Algorithm a) {
  return a == Algorithm::automatic ? "auto" : a == Algorithm::exact ? "exact" : "grid";
}

int full_scale(PixelFormat f) {
  return f == PixelFormat::gray16 ? 65535 : f == PixelFormat::p010 ? 1023 : 255;
}

Window window_of(const Params &p, bool chroma_plane) {
  Params in_range;
  for_each_param(params_table, [&](int, const auto &entry) {
    if constexpr (!std::is_same_v<typename std::remove_cvref_t<decltype(entry)>::Value, bool>) {
      const auto v = p.*entry.field;
      in_range.*entry.field =
          v == v ? std::clamp(v, entry.min, entry.max) : in_range.*entry.field; // not a number
    }
  });
  Window w{in_range.spatial_sigma, in_range.range_sigma, in_range.radius};
  // A sigma of 0.1 is a little more than that as a float: a radius must not grow by such an error.
  if (w.radius < 0) w.radius = std::min(max_radius, int(std::ceil(2 * w.spatial_sigma - 1e-5)));
  if (chroma_plane) {
    w.spatial_sigma /= 2;
    w.radius = (w.radius + 1) / 2;
  }
  return w;
}

void check_config(const Config &c) {
  if (c.format == PixelFormat::rgba64 || c.format == PixelFormat::i420_10)
    fail(Error::Kind::bad_setting, "the bilateral filter does not take rgba64 and i420_10");
  if (c.width < 1 || c.height < 1 || c.width > 32768 || c.height > 32768)
    fail(Error::Kind::bad_setting, "pictures of ", c.width, "x", c.height, " pixels cannot be filtered");
}

void check_images(const Config &c, const ConstImage &in, const ConstImage &guide, const Image &out) {
  const auto check = [&](const char *what, const ConstImage &i) {
    if (i.format != c.format || i.width != c.width || i.height != c.height)
      fail(Error::Kind::bad_setting, "the ", what, " is of ", i.width, "x", i.height,
           " pixels or of another format; the filter was made for ", c.width, "x", c.height);
    for (int p = 0; p < plane_count(c.format); p++)
      if (!i.data[p])
        fail(Error::Kind::bad_setting, "the ", what, " has no memory");
      else if (is_16_bit(c.format) &&
               ((reinterpret_cast<std::uintptr_t>(i.data[p]) | std::size_t(i.stride[p])) & 1))
        fail(Error::Kind::bad_setting, "16-bit samples of the ", what, " are not at even addresses");
  };
  check("picture", in);
  check("result", out);
  if (guide.data[0]) check("guide", guide);
  if (in.data[0] == out.data[0])
    fail(Error::Kind::bad_setting,
         "a picture cannot be filtered in place: give the result memory of its own");
}

std::unique_ptr<Filter> make(Device &device, const Config &config) {
  if (device.backend() == Backend::cuda) return make_cuda(device, config);
  if (device.backend() == Backend::opencl) return make_opencl(device, config);
  fail(Error::Kind::bad_setting, "the bilateral filter runs in OpenCL and in CUDA, not on ", device.name());
}

} // namespace vigil::bilateral
