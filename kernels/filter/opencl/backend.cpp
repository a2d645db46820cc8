// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/opencl.h"

#include "kernels/filter/costs.h"
#include "kernels/filter/filter-cl.h"

#include <algorithm>

namespace vigil::filter {
namespace {

bool is_aligned(const ClPlane &p, int bytes) {
  return p.offset % bytes == 0 && p.stride % bytes == 0;
}

} // namespace

Shape default_shape(const ClDevice &d) {
  return shapes(d).front();
}

std::vector<Shape> shapes(const ClDevice &d) {
  if (d.is_cpu()) return {{true, 1, 1, 128, 64}, {true, 1, 1, 64, 32}, {true, 1, 1, 256, 32}};
  std::vector<Shape> all = {{false, 32, 8, 32, 32}, {false, 32, 8, 32, 16}, {false, 16, 16, 16, 16},
                            {false, 32, 8, 64, 16}, {false, 32, 4, 32, 8},  {false, 16, 8, 32, 16}};
  const std::uint64_t most = d.number_info(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  std::erase_if(all, [&](const Shape &s) { return std::uint64_t(s.local_x) * s.local_y > most; });
  if (all.empty()) all.push_back({true, 1, 1, 64, 32}); // no work-groups at all
  return all;
}

Costs costs_of(const ClDevice &d) {
  Costs c;
  // On processors tiles are in ordinary memory: what fits the second level cache is near enough.
  c.local_bytes = d.is_cpu() ? 256 * 1024 : std::size_t(d.number_info(CL_DEVICE_LOCAL_MEM_SIZE));
  return c;
}

ClFilter::ClFilter(ClDevice &d, const Chain &chain, PixelFormat format, const ClOptions &options)
    : device_(d), format_(format), options_(options), wanted_(options.shape.value_or(default_shape(d))),
      shape_(wanted_) {
  set_chain(chain);
}

Plan ClFilter::plan_for(const Chain &chain, const Pass &all, const Shape &shape) {
  if (options_.staged) return split_all(all);
  Costs costs = costs_of(device_);
  if (options_.stored_costs) costs = device_costs(device_, chain, format_, shape, false).value_or(costs);
  if (options_.round_trip) costs.round_trip = *options_.round_trip;
  return split(all, shape, costs, format_);
}

ClFilter::Kernels ClFilter::build(const Plan &plan, const Shape &shape, bool wide) const {
  const bool colour = is_colour(format_);
  const std::string source = text("#line 1 \"", cl::filter_cl.path, "\"\n", cl::filter_cl.text,
                                  "\n#line 1 \"generated\"\n", generate(plan, shape, colour));
  Kernels k;
  k.program = ClProgram(device_, "a filter chain", source,
                        text("-D ROWS=", int(shape.rows), " -D COLOUR=", int(colour),
                             " -D DEEP=", int(is_16_bit(format_)), " -D WIDE=", int(wide)));
  for (std::size_t i = 0; i < plan.size(); i++) k.passes.push_back(k.program.kernel(text("pass", i).c_str()));
  return k;
}

bool ClFilter::set_chain(const Chain &chain) {
  Operations o = operations_of(chain, format_);
  const bool rebuild = !(kernels_[0].program || kernels_[1].program) || !(o.all == operations_);
  if (rebuild) {
    const Shape shape = fitting(wanted_, shapes(device_), o.all, costs_of(device_).local_bytes, format_);
    const Plan plan = plan_for(chain, o.all, shape);
    const bool wide = is_colour(format_) && !shape.rows;
    Kernels built = build(plan, shape, wide);
    kernels_[wide] = std::move(built);
    kernels_[!wide] = {};
    plan_ = plan;
    shape_ = shape;
    operations_ = o.all;
  }
  numbers_ = std::move(o.numbers);
  // Kernels want memory even where they read nothing.
  if (numbers_.values.empty()) numbers_.values.push_back(0);
  if (numbers_.tables.empty()) numbers_.tables.push_back(0);
  numbers_sent_ = false;
  return rebuild;
}

void ClFilter::send_numbers(Queue &queue) {
  const std::size_t values = numbers_.values.size() * sizeof(std::int32_t),
                    tables = numbers_.tables.size() * sizeof numbers_.tables[0];
  if (values_.bytes() < values) values_ = DeviceBuffer(device_, values);
  if (tables_.bytes() < tables) tables_ = DeviceBuffer(device_, tables);
  device_.upload(values_.as(), numbers_.values.data(), values, queue);
  device_.upload(tables_.as(), numbers_.tables.data(), tables, queue);
  queue.wait(); // once for a change: the vectors may change again before the queue gets there
  numbers_sent_ = true;
}

void ClFilter::apply(ConstImage in, Image out, Queue &q) {
  check_pictures(in, out, format_);
  auto &queue = static_cast<ClQueue &>(q);
  if (!numbers_sent_) send_numbers(queue);
  const bool colour = is_colour(format_);
  const ClPlane from = device_.view(in).plane[0], to = device_.view(out).plane[0];
  const bool wide = colour && !shape_.rows && is_aligned(from, int(row_bytes(format_, 0, 1))) &&
                    is_aligned(to, int(row_bytes(format_, 0, 1)));
  if (!kernels_[wide].program) kernels_[wide] = build(plan_, shape_, wide);

  const int stride = packed_stride(format_, in.width);
  const std::size_t bytes = std::size_t(stride) * in.height;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, plan_.size() - 1); i++)
    if (between_[i].bytes() < bytes) between_[i] = DeviceBuffer(device_, bytes);

  const auto tiles = [](int size, int tile) { return std::size_t((size + tile - 1) / tile); };
  const ClRange2 local{std::size_t(shape_.local_x), std::size_t(shape_.local_y)};
  const ClRange2 global{tiles(in.width, shape_.tile_width) * local.x,
                        tiles(in.height, shape_.tile_height) * local.y};
  const cl_mem values = device_.range_of(values_.as()).memory, tables = device_.range_of(tables_.as()).memory;
  ClPlane source = from;
  for (std::size_t i = 0; i < plan_.size(); i++) {
    ClPlane target = to;
    if (i + 1 < plan_.size())
      target = device_.view(between_[i % 2].as(), stride, stride, in.width, in.height);
    kernels_[wide].passes[i].launch(queue, global, local, source.memory, source.offset, source.stride,
                                    target.memory, target.offset, target.stride, in.width, in.height, values,
                                    tables);
    source = target;
  }
}

} // namespace vigil::filter
