// SPDX-License-Identifier: LGPL-2.1-or-later
// The bilateral filter: every backend and variant against the reference, at most one level off and 99.9 % of
// the samples equal; the grid by its PSNR on smooth pictures.
#include "common/device_cast.h"
#include "kernels/bilateral/bilateral.h"
#include "kernels/bilateral/grid.h"
#include "kernels/bilateral/opencl.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace vigil::bilateral {
namespace {

using check::Checker;
using check::Picture;

ClDevice &cl(Checker &c) {
  return device_cast<ClDevice>(c.device);
}
bool on_cpu(Checker &c) {
  return c.device.backend() == Backend::opencl && cl(c).is_cpu();
}
// By a variant of the OpenCL backend, or as the device has it (null).
std::unique_ptr<Filter> make_filter(Checker &c, const Config &config, const Variant *v) {
  return v ? make_opencl(cl(c), config, *v) : make(c.device, config);
}

// Samples that were compared, over all pictures of a case: in small ones a single rounding would be more than
// 0.1 %.
struct Tally {
  std::int64_t samples = 0, different = 0;
  double squares = 0;
  int worst = 0;
  bool wide = false; // 16-bit samples

  void add(const Image &want, const Image &got) {
    wide = want.format == PixelFormat::gray16;
    const int bytes_of = is_16_bit(want.format) ? 2 : 1;
    const int shift = want.format == PixelFormat::p010 ? 6 : 0;
    for (int p = 0; p < plane_count(want.format); p++)
      for (int y = 0; y < plane_rows(p, want.height); y++) {
        const auto bytes = row_bytes(want.format, p, want.width);
        const std::uint8_t *a = want.plane(p).row(y), *b = got.plane(p).row(y);
        for (std::ptrdiff_t i = 0; i < bytes; i += bytes_of) {
          const auto level = [&](const std::uint8_t *r) {
            return (bytes_of == 2 ? r[i] + 256 * r[i + 1] : r[i]) >> shift;
          };
          const int d = std::abs(level(a) - level(b));
          samples++;
          different += d != 0;
          squares += double(d) * d;
          worst = std::max(worst, d);
        }
      }
  }
  double psnr(int full) const {
    return squares > 0 ? 10 * std::log10(double(full) * full * double(samples) / squares) : 99;
  }
};

struct Size {
  int width, height, padding;
};
constexpr Size sizes[] = {{1, 1, 0}, {2, 3, 5}, {17, 1, 3}, {33, 41, 12}, {64, 40, 0}, {70, 35, 4}};

void compare(Checker &c, const Variant *v, PixelFormat format, Size s, const Params &params, bool guided,
             Tally &tally) {
  if (is_16_bit(format)) s.padding *= 2;
  Picture in(c, format, s.width, s.height, s.padding), guide(c, format, s.width, s.height, s.padding),
      out(c, format, s.width, s.height, s.padding);
  in.bytes = c.noise(in.bytes.size());
  guide.bytes = c.noise(guide.bytes.size());
  out.bytes.assign(out.bytes.size(), 0x5a);
  for (Picture *p : {&in, &guide, &out}) p->send();
  const Config config{format, s.width, s.height};
  make_filter(c, config, v)
      ->apply(in.device(), guided ? guide.device() : Image{}, out.device(), params, c.queue());
  const std::vector<std::uint8_t> before = out.bytes;
  out.fetch();
  const std::vector<std::uint8_t> got = out.bytes;
  out.bytes = before;
  Picture result(c, format, s.width, s.height, s.padding);
  result.bytes = got;
  const auto host = open_cpu(1);
  make_reference(config)->apply(in.host(), guided ? guide.host() : Image{}, out.host(), params,
                                *host->make_queue());
  tally.add(out.host(), result.host());
  // What is next to the picture stays as it was.
  for (int p = 0; p < plane_count(format); p++)
    for (int y = 0; y < plane_rows(p, s.height); y++)
      for (std::ptrdiff_t i = row_bytes(format, p, s.width); i < out.host().stride[p]; i++)
        if (s.padding > 0 && result.host().plane(p).row(y)[i] != 0x5a)
          return c.fail(text(v ? v->name : "", " ", s.width, "x", s.height, ": the padding of plane ", p,
                             " was written"));
}

void expect_near(Checker &c, const std::string &what, const Tally &t) {
  // Floats have 24 bits: where 16 of them are a sample's own, roundings fall the other way more often.
  if (t.worst > 1 || double(t.different) > (t.wide ? 0.01 : 0.001) * double(t.samples))
    c.fail(text(what, ": ", t.different, " of ", t.samples, " samples differ, by up to ", t.worst));
}

constexpr struct {
  PixelFormat format;
  const char *name;
} formats[] = {{PixelFormat::rgba, "rgba"},    {PixelFormat::bgra, "bgra"}, {PixelFormat::gray8, "gray8"},
               {PixelFormat::nv12, "nv12"},    {PixelFormat::i420, "i420"}, {PixelFormat::p010, "p010"},
               {PixelFormat::gray16, "gray16"}};

Params exact(float spatial, float range, int radius = -1) {
  Params p;
  p.spatial_sigma = spatial;
  p.range_sigma = range;
  p.radius = radius;
  p.algorithm = Algorithm::exact;
  return p;
}

void run_formats(Checker &c) {
  for (const auto &f : formats)
    for (const bool guided : {false, true})
      for (const bool channels : {false, true}) {
        if (channels && f.format != PixelFormat::rgba && f.format != PixelFormat::bgra) continue;
        for (const bool quantized : {false, true}) {
          if (guided && quantized && f.format != PixelFormat::rgba && f.format != PixelFormat::gray8)
            continue;
          Tally t;
          for (const Size &s : sizes) {
            Params p = exact(1.5f, 0.05f + 0.4f * float(c.rng() % 100) / 100);
            p.weighting = channels ? Weighting::channels : Weighting::intensity;
            p.quantize_range = quantized;
            p.chroma = c.rng() % 2;
            compare(c, nullptr, f.format, s, p, guided, t);
          }
          expect_near(c,
                      text(f.name, guided ? ", guided" : "", channels ? ", channels" : "",
                           quantized ? ", quantized" : ""),
                      t);
        }
      }
}

void run_windows(Checker &c) {
  Tally t;
  for (const int radius : {0, 1, 2, 3, 4, 5, 6, 10, 25, 40})
    for (const float spatial : {0.1f, 2.f, 20.f})
      for (const float range : {0.005f, 0.2f, 4.f})
        compare(c, nullptr, PixelFormat::rgba, {37, 21, 4}, exact(spatial, range, radius), false, t);
  expect_near(c, "rgba, every radius", t);
  Tally grey;
  for (const int radius : {0, 3, 17})
    compare(c, nullptr, PixelFormat::gray8, {37, 21, 0}, exact(3, 0.1f, radius), false, grey);
  compare(c, nullptr, PixelFormat::gray8, {5, 4, 0}, exact(12, 0.1f, 25), false,
          grey); // larger than the picture
  expect_near(c, "gray8, every radius", grey);
}

void run_variants(Checker &c) {
  for (const Variant &v : variants()) {
    Tally t;
    compare(c, &v, PixelFormat::rgba, {70, 35, 4}, exact(2, 0.25f), false, t);
    compare(c, &v, PixelFormat::rgba, {33, 41, 12}, exact(2, 0.1f), false, t);
    if (!v.unroll) { // which changes nothing else
      Params channels = exact(2, 0.25f);
      channels.weighting = Weighting::channels;
      compare(c, &v, PixelFormat::bgra, {33, 41, 0}, channels, false, t);
      compare(c, &v, PixelFormat::gray8, {67, 20, 3}, exact(2, 0.1f), false, t);
    }
    expect_near(c, v.name, t);
  }
}

// A picture of gradients, edges and a little noise, as the grid is meant for.
void paint(Checker &c, Image image) {
  for (int y = 0; y < image.height; y++)
    for (int x = 0; x < image.width; x++) {
      const bool inside = (x / 23 + y / 31) % 2 != 0;
      for (int ch = 0; ch < (image.format == PixelFormat::rgba ? 4 : 1); ch++) {
        const double v = (inside ? 170 : 60) + 40 * std::sin(x * 0.05 + ch) + 20 * std::cos(y * 0.07) +
                         double(c.rng() % 21) - 10;
        image.plane(0).row(y)[image.format == PixelFormat::rgba ? 4 * x + ch : x] =
            std::uint8_t(std::clamp(v, 0., 255.));
      }
    }
}

void run_grid(Checker &c) {
  for (const PixelFormat format : {PixelFormat::rgba, PixelFormat::gray8})
    for (const auto &[spatial, range] : {std::pair{3.f, 0.05f}, {5.f, 0.25f}, {12.f, 0.1f}, {20.f, 0.5f}})
      for (const Weighting weighting : {Weighting::intensity, Weighting::channels}) {
        if (weighting == Weighting::channels && (format == PixelFormat::gray8 || spatial != 5.f)) continue;
        const int width = 91, height = 67;
        Picture in(c, format, width, height), out(c, format, width, height), want(c, format, width, height);
        paint(c, in.host());
        in.send();
        Params p = exact(spatial, range);
        p.weighting = weighting;
        const auto host = open_cpu(1);
        make_reference({format, width, height})->apply(in.host(), want.host(), p, *host->make_queue());
        p.algorithm = Algorithm::grid;
        make(c.device, {format, width, height})->apply(in.device(), out.device(), p, c.queue());
        out.fetch();
        Tally t;
        t.add(want.host(), out.host());
        c.expect(t.psnr(255) >= 40,
                 text("the grid, sigmas ", spatial, " and ", range, ": PSNR ", t.psnr(255)));
      }
}

void run_refusals(Checker &c) {
  c.refused("a picture of 0x5", [&] { make(c.device, {PixelFormat::rgba, 0, 5}); });
  Picture a(c, PixelFormat::rgba, 8, 8), b(c, PixelFormat::rgba, 8, 8), larger(c, PixelFormat::rgba, 9, 8),
      grey(c, PixelFormat::gray8, 8, 8);
  const auto f = make(c.device, {PixelFormat::rgba, 8, 8});
  c.refused("a picture of another size", [&] { f->apply(larger.device(), b.device(), {}, c.queue()); });
  c.refused("a result of another format", [&] { f->apply(a.device(), grey.device(), {}, c.queue()); });
  c.refused("a guide of another size",
            [&] { f->apply(a.device(), larger.device(), b.device(), {}, c.queue()); });
  c.refused("filtering in place", [&] { f->apply(a.device(), a.device(), {}, c.queue()); });
  if (c.device.backend() == Backend::opencl) // whose addresses of memory are known
    c.refused("memory of the host", [&] { f->apply(a.host(), b.device(), {}, c.queue()); });
  Params wild;
  wild.spatial_sigma = -1e30f;
  wild.range_sigma = std::nanf("");
  wild.radius = 100000;
  const Window w = window_of(wild);
  c.expect(w.radius == max_radius && w.spatial_sigma == double(0.1f) && w.range_sigma == 0.25,
           "values out of range do not count as the nearest end");
}

// The thesis' steps (6.2.1), at its size: 1280x720; with its window of 9x9, and with 21x21.
void run_ladder(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  using Kind = Variant::Kind;
  const struct {
    const char *name;
    Weighting weighting;
    bool quantized;
    Variant variant;
  } steps[] = {
      {"1 a weight for each channel",
       Weighting::channels,
       false,
       {"", Kind::direct, 16, 16, 1, false, false}},
      {"2 native exp2 and division", Weighting::channels, false, {"", Kind::direct, 16, 16}},
      {"3 one weight, from the intensity", Weighting::intensity, false, {"", Kind::direct, 16, 16}},
      {"4 spatial sigma a constant",
       Weighting::intensity,
       false,
       {"", Kind::direct, 16, 16, 1, false, true, true}},
      {"5 table of 11 range weights",
       Weighting::intensity,
       true,
       {"", Kind::direct, 16, 16, 1, false, true, true}},
      {"6 local memory", Weighting::intensity, true, {"", Kind::tile, 16, 16, 1, false, true, true}},
      {"7 unrolled", Weighting::intensity, true, {"", Kind::tile, 16, 16, 1, true, true, true}},
      {"8 work-group 32x8", Weighting::intensity, true, {"", Kind::tile, 32, 8, 1, true, true, true}},
      {"9 exact weights again", Weighting::intensity, false, {"", Kind::tile, 32, 8, 1, true}},
      {"10 four pixels a work-item, not unrolled", Weighting::intensity, false, {"", Kind::tile, 32, 4, 4}}};
  constexpr int width = 1280, height = 720;
  Picture in(c, PixelFormat::rgba, width, height), out(c, PixelFormat::rgba, width, height);
  paint(c, in.host());
  in.send();
  for (const float sigma : {2.f, 5.f})
    for (const auto &s : steps) {
      const auto filter = make_opencl(cl(c), {PixelFormat::rgba, width, height}, s.variant);
      Params p = exact(sigma, 0.25f);
      p.weighting = s.weighting;
      p.quantize_range = s.quantized;
      c.time(text("radius ", 2 * sigma, ", ", s.name), double(width) * height,
             [&] { filter->apply(in.device(), out.device(), p, c.queue()); });
    }
}

void run_bench(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  constexpr struct {
    const char *name;
    int width, height;
  } frames[] = {{"1080p", 1920, 1080}, {"720p", 1280, 720}};
  for (const auto &f : frames) {
    Picture in(c, PixelFormat::rgba, f.width, f.height), out(c, PixelFormat::rgba, f.width, f.height);
    paint(c, in.host());
    in.send();
    const double pixels = double(f.width) * f.height;
    for (const float sigma : {2.f, 5.f}) {
      if (c.device.backend() != Backend::opencl) break;
      for (const Variant &v : variants()) {
        if (!cl(c).is_cpu() && v.kind == Variant::Kind::rows) continue;
        if (v.unroll && sigma > 2.f) continue; // takes seconds to build, and loses
        if (cl(c).is_cpu() && v.kind != Variant::Kind::rows && !(f.width == 1280 && sigma == 2.f)) continue;
        const auto filter = make_opencl(cl(c), {PixelFormat::rgba, f.width, f.height}, v);
        c.time(text(f.name, " exact radius ", 2 * sigma, " ", v.name), pixels,
               [&] { filter->apply(in.device(), out.device(), exact(sigma, 0.25f), c.queue()); });
      }
    }
    const auto filter = make(c.device, {PixelFormat::rgba, f.width, f.height});
    for (const float sigma : {2.f, 3.f, 5.f, 10.f, 20.f})
      for (const float range : {0.05f, 0.25f}) {
        Params p = exact(sigma, range);
        if (sigma <= 3 || (sigma == 5 && !on_cpu(c)))
          c.time(text(f.name, " exact sigmas ", sigma, " ", range), pixels,
                 [&] { filter->apply(in.device(), out.device(), p, c.queue()); });
        p.algorithm = Algorithm::grid;
        c.time(text(f.name, " grid sigmas ", sigma, " ", range), pixels,
               [&] { filter->apply(in.device(), out.device(), p, c.queue()); });
      }
  }
}

// The joint filter: weights from a guide picture of the same size.
void run_guided(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  constexpr int width = 1920, height = 1080;
  for (const auto &f : formats) {
    Picture in(c, f.format, width, height), guide(c, f.format, width, height),
        out(c, f.format, width, height);
    in.bytes = c.noise(in.bytes.size());
    guide.bytes = c.noise(guide.bytes.size());
    in.send();
    guide.send();
    const auto filter = make(c.device, {f.format, width, height});
    for (const float sigma : {1.5f, 3.f})
      for (const bool guided : {false, true})
        c.time(text(f.name, guided ? " guided" : " by itself", ", sigma ", sigma), double(width) * height,
               [&] {
                 filter->apply(in.device(), guided ? guide.device() : Image{}, out.device(),
                               exact(sigma, 0.1f), c.queue());
               });
  }
}

check::Register guided_case{{"bilateral/guided", run_guided, {Backend::opencl, Backend::cuda}}};
check::Register formats_case{{"bilateral/formats", run_formats, {Backend::opencl, Backend::cuda}}};
check::Register windows_case{{"bilateral/windows", run_windows, {Backend::opencl, Backend::cuda}}};
check::Register variants_case{{"bilateral/variants", run_variants, {Backend::opencl}}};
check::Register grid_case{{"bilateral/grid", run_grid, {Backend::opencl, Backend::cuda}}};
check::Register refusals_case{{"bilateral/refusals", run_refusals, {Backend::opencl, Backend::cuda}}};
check::Register ladder_case{{"bilateral/ladder", run_ladder, {Backend::opencl}}};
check::Register bench_case{{"bilateral/bench", run_bench, {Backend::opencl, Backend::cuda}}};

} // namespace
} // namespace vigil::bilateral
