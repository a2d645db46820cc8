// SPDX-License-Identifier: LGPL-2.1-or-later
// Bilateral filter: the contract that every backend keeps.
//
//   BF(p) = 1/W(p) * sum over q in S(p) of  G(|p-q|; s) * G(|I(p) - I(q)|; r) * v(q),     W(p) the sum of the
//                                           weights,
//   G(x; sigma) = exp(-x^2 / (2 sigma^2))
//
// S(p) is the square of (2*radius+1) x (2*radius+1) pixels around p (thesis, equation 3.5). radius = -1 means
// 2s rounded up, so that no pixel within two spatial sigmas is left out; the thesis (listing 6.1) rounds 2s
// down. Outside the picture the nearest pixel of its edge counts. s is in pixels. r is in units of full
// scale: 0.25 is 64 levels of 255.
//   weighting intensity:  one weight a pixel, from I = 0.3 R + 0.59 G + 0.11 B
//   weighting channels:   R, G and B each have their own weight, I being the channel itself
//   one channel (Y):      I = v; the two weightings are the same
// A guide picture (joint or cross bilateral filter: Petschnigg et al. 2004) gives I(p) and I(q) instead of
// the picture itself; v stays the picture's. The fourth byte of rgba and bgra is copied. Results are rounded
// to the nearest level.
//
// nv12, i420, p010: Y is filtered; with `chroma` U and V are as well, each as a picture of its own with half
// the spatial sigma and half the radius, rounded up; otherwise they are copied. 16-bit formats: gray16 has
// full scale 65535; p010 is filtered and rounded in its 10 bits.
//
// quantize_range (thesis, 6.2.1): the range weight is one of 11: G(round(10 |I(p)-I(q)| / full scale) / 10;
// r), halves rounded up.
//
// algorithm grid: an approximation whose cost does not grow with the radius, see grid.h; PSNR >= 40 dB
// against exact on natural pictures. algorithm automatic: grid where it was measured to be faster, see
// uses_grid().
#pragma once

#include "common/device.h"
#include "common/params.h"
#include "common/plane.h"

#include <memory>

namespace vigil::bilateral {

enum class Weighting { intensity, channels };
enum class Algorithm { automatic, exact, grid };
const char *name_of(Weighting);
const char *name_of(Algorithm);

inline constexpr int max_radius = 40;

struct Params {
  float spatial_sigma = 2.f;
  float range_sigma = 0.25f;
  int radius = -1;
  bool quantize_range = false;
  bool chroma = false;
  // Not in the table: enumerations.
  Weighting weighting = Weighting::intensity;
  Algorithm algorithm = Algorithm::automatic;
  bool operator==(const Params &) const = default;
};
inline constexpr auto params_table = std::tuple{
    param("spatial-sigma", "Spatial sigma",
          "Reach of the filter: standard deviation in pixels. Higher: smoother", &Params::spatial_sigma, 0.1f,
          20.f),
    param("range-sigma", "Range sigma",
          "Difference up to which pixels are mixed: standard deviation as a part of full scale (0.25 is 64 "
          "of 255 levels). About 1.5 times the noise smooths it. Higher: edges are blurred",
          &Params::range_sigma, 0.005f, 4.f),
    param("radius", "Radius",
          "Window of 2*radius+1 pixels in each direction; -1: twice the spatial sigma, rounded up",
          &Params::radius, -1, max_radius),
    param("quantize-range", "Quantize range",
          "Whether range weights come from a table of 11, which is coarser; with the exact algorithm only",
          &Params::quantize_range),
    param("chroma", "Chroma",
          "Whether the chroma planes are filtered too (NV12, I420, P010); otherwise they are copied",
          &Params::chroma),
};

// The parameters as one plane is filtered with them; values outside their range count as its nearest end.
struct Window {
  double spatial_sigma = 2;
  double range_sigma = 0.25; // of full scale 1
  int radius = 4;
};
Window window_of(const Params &, bool chroma_plane = false);

struct Config {
  PixelFormat format = PixelFormat::rgba;
  int width = 0;
  int height = 0;
  bool operator==(const Config &) const = default;
};
// The greatest value of a sample as it is filtered: 255, 1023 for p010, 65535 for gray16.
int full_scale(PixelFormat);

// One for each stream; made once, no allocation per frame. What a new radius or weighting needs is compiled
// in OpenCL when a frame first asks for it; sigmas may change from frame to frame at no cost.
class Filter {
 public:
  virtual ~Filter() = default;
  // `in` and `guide` stay as they are; `out` must not overlap them. `guide` has the picture's format and
  // size, or no data. Any strides and addresses work, even ones for 16-bit formats; on a GPU multiples of 4
  // bytes run fastest for rgba. Throws Error::bad_setting when format or size are not those that this was
  // made for.
  virtual void apply(const ConstImage &in, const ConstImage &guide, const Image &out, const Params &,
                     Queue &) = 0;
  void apply(const ConstImage &in, const Image &out, const Params &p, Queue &q) { apply(in, {}, out, p, q); }
};
// Naive loops in double precision; host memory; ignores `algorithm`: always exact.
std::unique_ptr<Filter> make_reference(const Config &);
// The device must be an OpenCL (opencl.h) or a CUDA one and outlive what is made for it.
std::unique_ptr<Filter> make(Device &, const Config &);
// These throw Error::no_device in builds without the API, Error::bad_setting when the device is of another
// backend.
std::unique_ptr<Filter> make_cuda(Device &, const Config &);
std::unique_ptr<Filter> make_opencl(Device &, const Config &); // with the device's default variant

// What every backend does before it starts.
void check_config(const Config &);
void check_images(const Config &, const ConstImage &in, const ConstImage &guide, const Image &out);

} // namespace vigil::bilateral
