// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/bilateral/tune.h"

#include "common/error.h"
#include "common/tuning/trial.h"
#include "kernels/bilateral/bilateral-kernels.h"
#include "kernels/bilateral/grid.h"

#include <algorithm>

namespace vigil::bilateral {
namespace {

// The default first, then the others in the order of variants(). On processors nothing comes near the default
// (on PoCL `direct` takes 20 to 140 times as long), and trying it would take seconds; nor is a wide window
// unrolled, whose program takes seconds to build.
std::vector<const Variant *> candidates(const ClDevice &d, int radius) {
  constexpr int widest_unrolled = 8;
  std::vector<const Variant *> all = {&default_variant(d)};
  if (d.is_cpu()) return all;
  for (const Variant &v : variants())
    if (&v != all.front() && v.kind != Variant::Kind::rows && v.native && !v.constant_sigmas &&
        !(v.unroll && radius > widest_unrolled))
      all.push_back(&v);
  return all;
}

const char *class_of(int radius) {
  return radius <= 2 ? "1..2" : radius <= 4 ? "3..4" : radius <= 8 ? "5..8" : radius <= 16 ? "9..16" : "17..";
}

} // namespace

Tuned tune(ClDevice &d, PixelFormat format, const Params &params, tuning::Mode mode,
           const tuning::Limits &limits) {
  const std::vector<const Variant *> all = candidates(d, window_of(params).radius);
  const bool grid =
      params.algorithm == Algorithm::grid || (params.algorithm == Algorithm::automatic && uses_grid(params));
  if (grid || mode == tuning::Mode::off) return {all.front(), {}};

  // Kernels differ by what they weigh, not by the order of bytes or planes.
  const bool colour = format == PixelFormat::rgba || format == PixelFormat::bgra;
  tuning::Trial trial;
  trial.format = colour ? PixelFormat::rgba : PixelFormat::gray8;
  trial.width = 71; // the reference takes radius^2
  trial.height = 45;
  trial.tolerance = 1;
  Params exact = params;
  exact.algorithm = Algorithm::exact;
  trial.reference = [&](const ConstImage &in, const Image &out, Queue &q) {
    make_reference({in.format, in.width, in.height})->apply(in, out, exact, q);
  };
  std::vector<tuning::Variant> variants;
  for (const Variant *v : all)
    variants.push_back({v->name, [&d, &trial, exact, v](int width, int height) -> tuning::Apply {
                          std::shared_ptr<Filter> f = make_opencl(d, {trial.format, width, height}, *v);
                          return [f, exact](const ConstImage &in, const Image &out, Queue &q) {
                            f->apply(in, out, exact, q);
                          };
                        }});
  const std::string source =
      text(cl_sources::pixels_cl.text, cl_sources::direct_cl.text, cl_sources::tile_cl.text,
           cl_sources::image_cl.text, cl_sources::rows_cl.text);
  const tuning::Key key =
      tuning::key_for(d, "bilateral", source, colour ? text("colour, ", name_of(params.weighting)) : "grey",
                      text(class_of(window_of(params).radius), params.quantize_range ? " quantized" : ""));
  tuning::Result r = tuning::choose(d, key, trial, variants, mode, limits);
  return {all[r.choice], std::move(r)};
}

} // namespace vigil::bilateral
