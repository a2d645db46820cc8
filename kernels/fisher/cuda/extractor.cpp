// SPDX-License-Identifier: LGPL-2.1-or-later
// The extractor's memory and tables, and its order of launches.
#include "kernels/fisher/cuda/extractor.h"

#include "common/device_cast.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace vigil::fisher::cuda {
namespace {

Lattice lattice_for(int places, const SiftParams &p) {
  const int unit = std::gcd(p.step, p.bin_size);
  const std::int64_t even = (std::int64_t{places - 1} * p.step + (bins - 1) * p.bin_size) / unit + 1;
  if (even <= std::int64_t{bins} * places)
    return {unit, static_cast<int>(even), p.step / unit, p.bin_size / unit};
  return {0, bins * places, bins, 1};
}

// The table of one axis, by the contract's formula; in double precision, as it is made once.
struct Table {
  std::vector<int> start;
  std::vector<float> weight; // [tap][output]
  int taps = 0;

  Table(int input, int output) : start(output) {
    const double r = static_cast<double>(input) / output, a = std::max(1., r);
    std::vector<std::vector<double>> all(output);
    for (int x = 0; x < output; x++) {
      const double centre = (x + 0.5) * r - 0.5;
      const int from = std::clamp(static_cast<int>(std::ceil(centre - a)), 0, input - 1),
                to = std::clamp(static_cast<int>(std::floor(centre + a)), from, input - 1);
      double sum = 0;
      for (int j = from; j <= to; j++) {
        all[x].push_back(std::max(0., 1 - std::abs(j - centre) / a));
        sum += all[x].back();
      }
      for (double &t : all[x]) t /= sum;
      start[x] = from;
      taps = std::max(taps, static_cast<int>(all[x].size()));
    }
    weight.resize(static_cast<std::size_t>(taps) * output);
    for (int x = 0; x < output; x++)
      for (std::size_t t = 0; t < all[x].size(); t++) weight[t * output + x] = static_cast<float>(all[x][t]);
  }
};

void add_blocks(Blocks &b, int scale, int width, int height) {
  b.wide[scale] = (width - 1) / block_width + 1;
  b.first[scale + 1] = b.first[scale] + b.wide[scale] * ((height - 1) / block_height + 1);
}

} // namespace

CudaExtractor::CudaExtractor(CudaDevice &device, int width, int height, const SiftParams &params,
                             int pictures)
    : Extractor(width, height, params, pictures), device_(device) {
  const auto &scales = layout().scales;
  Pyramid &p = pyramid_;
  p.count = static_cast<int>(scales.size());
  p.step = params.step;
  p.bin_size = params.bin_size;
  const double window = (bins - 1) * params.bin_size + 1;
  p.contrast_scale = static_cast<float>(1 / (window * window));
  p.contrast_threshold = static_cast<float>(params.contrast_threshold);
  for (int k = 0; k < bins; k++) p.window[k] = static_cast<float>(window_weight(k, params.bin_size));

  std::vector<std::byte> tables;
  const auto store = [&](const auto &values) { // an offset; fixed up when the memory is there
    const std::size_t at = tables.size(), bytes = values.size() * sizeof(values[0]);
    tables.resize(at + bytes);
    std::memcpy(&tables[at], values.data(), bytes);
    return at;
  };
  std::size_t start_at[max_scales][2], weight_at[max_scales][2];
  std::size_t pixels = 0, row_cells = 0, cells = 0;
  for (int s = 0; s < p.count; s++) {
    Scale &to = p.scale[s];
    to.width = scales[s].width;
    to.height = scales[s].height;
    to.columns = scales[s].columns;
    to.rows = scales[s].rows;
    to.first = static_cast<int>(scales[s].first);
    to.lattice[0] = lattice_for(to.columns, params);
    to.lattice[1] = lattice_for(to.rows, params);
    for (int axis = 0; axis < 2; axis++) {
      const int input = axis ? height : width, output = axis ? to.height : to.width;
      const Table table(input, output);
      start_at[s][axis] = store(table.start);
      weight_at[s][axis] = store(table.weight);
      to.axis[axis] = {nullptr, nullptr, table.taps, output, input};
    }
    add_blocks(p.resize, s, to.width, to.height);
    add_blocks(p.rows, s, to.lattice[0].count, to.height);
    add_blocks(p.columns, s, 2 * to.lattice[0].count, to.lattice[1].count);
    pixels += static_cast<std::size_t>(to.width) * to.height;
    row_cells += static_cast<std::size_t>(to.lattice[0].count) * to.height;
    cells += static_cast<std::size_t>(to.lattice[0].count) * to.lattice[1].count;
  }
  p.picture_apart = pixels;
  p.rows_apart = row_cells * 2;
  p.cells_apart = cells * 2;
  const auto count = static_cast<std::size_t>(pictures);
  tables_ = DeviceBuffer(device, tables.size());
  scaled_ = DeviceBuffer(device, count * p.picture_apart * sizeof(float));
  rows_ = DeviceBuffer(device, count * p.rows_apart * sizeof(float4));
  cells_ = DeviceBuffer(device, count * p.cells_apart * sizeof(float4));
  float *picture = scaled_.as<float>();
  float4 *row = rows_.as<float4>(), *cell = cells_.as<float4>();
  for (int s = 0; s < p.count; s++) {
    Scale &to = p.scale[s];
    to.picture = picture;
    to.rows_out = row;
    to.cells = cell;
    picture += static_cast<std::size_t>(to.width) * to.height;
    row += static_cast<std::size_t>(to.lattice[0].count) * to.height * 2;
    cell += static_cast<std::size_t>(to.lattice[0].count) * to.lattice[1].count * 2;
    for (int axis = 0; axis < 2; axis++) {
      to.axis[axis].start = reinterpret_cast<const int *>(tables_.as<std::byte>() + start_at[s][axis]);
      to.axis[axis].weight = reinterpret_cast<const float *>(tables_.as<std::byte>() + weight_at[s][axis]);
    }
  }
  const auto positions = positions_for(layout(), params);
  positions_ = DeviceBuffer(device, positions.size() * sizeof(float));
  const auto queue = device.make_queue();
  device.upload(tables_.as(), tables.data(), tables.size(), *queue);
  device.upload(positions_.as(), positions.data(), positions_.bytes(), *queue);
  queue->wait();
}

void CudaExtractor::fill_cells(const Pictures &pictures, Queue &queue) {
  check_frame(pictures.first);
  launch_resize(pyramid_, pictures, stream_of(queue));
  launch_rows(pyramid_, pictures.count, stream_of(queue));
  launch_columns(pyramid_, pictures.count, stream_of(queue));
}

void CudaExtractor::extract(const ConstImage &frame, float *descriptors, Queue &queue) {
  const CudaScope scope = device_.enter();
  fill_cells({frame}, queue);
  launch_describe(pyramid_, 0, layout().descriptors, descriptors, stream_of(queue));
}

} // namespace vigil::fisher::cuda

namespace vigil::fisher {

std::unique_ptr<Extractor> make_cuda(Device &device, int width, int height, const SiftParams &params,
                                     int pictures) {
  return std::make_unique<cuda::CudaExtractor>(device_cast<CudaDevice>(device), width, height, params,
                                               pictures);
}

} // namespace vigil::fisher
