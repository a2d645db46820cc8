// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/costs.h"

#include "common/error.h"
#include "common/opencl/cache.h"
#include "common/tuning/trial.h"
#include "kernels/filter/filter-cl.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace vigil::filter {
namespace {

constexpr const char *extension = "cost";
constexpr double least = 1e-5; // milliseconds: what is less is the clock's noise

// Milliseconds of the stages on a picture of a usual size, the median of several turns.
double time_of(ClDevice &d, const Chain &chain, PixelFormat format, const Shape &shape) {
  const int width = d.is_cpu() ? 640 : 1280, height = d.is_cpu() ? 360 : 720, calls = d.is_cpu() ? 1 : 10;
  const int stride = packed_stride(format, width);
  const std::size_t bytes = std::size_t(stride) * std::size_t(height);
  const DeviceBuffer in(d, bytes), out(d, bytes);
  const auto queue = d.make_queue();
  const auto timer = d.make_timer();
  d.fill(in.as(), 90, bytes, *queue);
  const auto at = [&](const DeviceBuffer &b) {
    return Image{format, width, height, {b.as<std::uint8_t>()}, {stride}};
  };
  ClFilter filter(d, chain, format, {.shape = shape, .staged = true});
  filter.apply(at(in), at(out), *queue);
  queue->wait();
  double ms[5];
  for (double &m : ms) {
    timer->start(*queue);
    for (int n = 0; n < calls; n++) filter.apply(at(in), at(out), *queue);
    timer->stop(*queue);
    queue->wait();
    m = timer->milliseconds() / calls;
  }
  std::sort(std::begin(ms), std::end(ms));
  return ms[2];
}

// What is stored for a chain of one stencil, or of none.
std::optional<double> cost(ClDevice &d, const Chain &chain, PixelFormat format, const Shape &shape,
                           bool measure) {
  std::string name = "copy";
  if (!chain.empty()) {
    const StencilOp op = operations_of(chain, format).all.stencils.at(0);
    name = text("stencil ", int(op.kind), ", radius ", op.radius, op.separable ? ", separable" : "");
  }
  const tuning::Key key = tuning::key_for(d, "filter cost", cl::filter_cl.text, text("format ", int(format)),
                                          text(shape.name(), ", ", name));
  const FileCache cache(cache_directory("tuning"));
  if (const auto stored = cache.read(key.text(), extension)) {
    char *end = nullptr;
    const double value = std::strtod(stored->c_str(), &end);
    if (*end == 0 && value >= least) return value;
  }
  if (!measure) return {};
  const double value = std::max(time_of(d, chain, format, shape), least);
  char words[32];
  std::snprintf(words, sizeof words, "%.17g", value);
  cache.write(key.text(), extension, words);
  return value;
}

} // namespace

std::optional<Costs> device_costs(ClDevice &d, const Chain &chain, PixelFormat format, const Shape &shape,
                                  bool measure) {
  const auto is_stencil = [](const Stage &s) { return !is_point(s.type->kind); };
  if (std::count_if(chain.begin(), chain.end(), is_stencil) < 2) return {};
  try {
    Costs costs = costs_of(d);
    const auto copy = cost(d, {}, format, shape, measure);
    if (!copy) return {};
    costs.round_trip = *copy;
    for (const Stage &s : chain) {
      if (!is_stencil(s)) continue;
      const auto all = cost(d, {s}, format, shape, measure);
      if (!all) return {};
      costs.stencils.push_back(std::max(*all - *copy, least));
    }
    return costs;
  } catch (const Error &) {
    return {};
  }
}

} // namespace vigil::filter
