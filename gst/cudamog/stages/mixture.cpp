// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/mixture.h"

#include "common/host_buffer.h"
#include "kernels/ghost/stationary_regions.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace vigil::gst::cudamog {
namespace {

constexpr double most_at_once = 0.1, least_at_once = 0.02, part_of_rest = 0.99;
constexpr float undecided_rate = 0.3f;     // factor
constexpr std::ptrdiff_t stride_step = 64; // bytes

std::ptrdiff_t stride_of(const cell_grid::Grid &grid) {
  return (grid.width + stride_step - 1) / stride_step * stride_step;
}

// What the kinds of adaptation mean to a frame that learns at `learning_rate`.
mog::RateMap rate_map(const std::uint8_t *map, const cell_grid::Grid &grid, const Settings &settings,
                      double learning_rate) {
  const float slow = settings.tuning.foreground_rate;
  const double rest = 1 - double(settings.mog.background_ratio);
  const double rate = std::clamp(part_of_rest * rest, least_at_once, most_at_once);
  const float fast = learning_rate > 0 ? static_cast<float>(std::max(rate / learning_rate, 1.)) : 1.f;
  return {map, grid.size, grid.columns, {1.f, slow, std::max(slow, undecided_rate), fast}};
}

} // namespace

struct MixtureStage::Data final : StageData {
  Data(Device &device, const cell_grid::Grid &grid)
      : scratch(device, std::size_t(stride_of(grid)) * std::size_t(grid.height)),
        host_rates(device, std::size_t(grid.cells())), rates(device, std::size_t(grid.cells())) {}
  DeviceBuffer scratch; // the mask, where it is not what comes out
  HostBuffer host_rates;
  DeviceBuffer rates; // the same
};

std::unique_ptr<StageData> MixtureStage::make_data() {
  return std::make_unique<Data>(device_, grid_);
}

Restart MixtureStage::configure(const Settings &settings, Queue &queue) {
  return model_.prepare(settings, queue) ? Restart::model : Restart::none;
}

mog::RateMap MixtureStage::upload_rates(FrameGroup &group, const Feedback &feedback, Queue &queue) {
  const std::span<const std::uint8_t> map = feedback.adaptation;
  if (map.empty() || !adapts_rate(group.settings())) return {};
  const auto at_once =
      double(std::count(map.begin(), map.end(), std::uint8_t(ghost::AdaptationRate::at_once))) /
      double(map.size());
  for (FrameContext *f : group.frames) f->learning.at_once = at_once; // all are learnt with this map
  FrameContext &first = *group.frames.front();
  const auto &data = data_of<Data>(first);
  std::copy(map.begin(), map.end(), data.host_rates.as<std::uint8_t>());
  // Nothing under way looks at this frame's own memory.
  device_.upload(data.rates.as(), data.host_rates.as<void>(), map.size(), uploads_.free(queue));
  uploads_.join(queue);
  if (device_.backend() != Backend::cpu) first.bytes += map.size();
  return rate_map(data.rates.as<const std::uint8_t>(), grid_, group.settings(), first.learning.rate);
}

Plane<std::uint8_t> MixtureStage::mask_of(FrameContext &f) const {
  if (f.settings.output == Output::mask) return f.output.plane(0);
  return {data_of<Data>(f).scratch.as<std::uint8_t>(), grid_.width, grid_.height, stride_of(grid_)};
}

void MixtureStage::pass_by(FrameContext &f, Queue &queue) {
  f.mask = mask_of(f);
  for (int y = 0; y < f.mask.height; y++) device_.fill(f.mask.row(y), 0, std::size_t(f.mask.width), queue);
}

void MixtureStage::submit(FrameGroup &group, const Feedback &feedback, Queue &queue) {
  const Settings &settings = group.settings();
  steps_.clear();
  for (FrameContext *f : group.frames) {
    f->mask = mask_of(*f);
    steps_.push_back({f->compensated, f->mask, f->learning.rate, f->background.by});
  }
  const mog::RateMap rates = upload_rates(group, feedback, queue);
  model_.mixture().apply(steps_, settings.mog, rates, queue);
  model_.has_learnt();
}

} // namespace vigil::gst::cudamog
