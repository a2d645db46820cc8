// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/cleanup.h"

#include "common/host_buffer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace vigil::gst::cudamog {

struct CleanupStage::Data final : StageData {
  Data(Device &device, std::size_t cells)
      : host_allowed(device, cells), allowed(device, cells), seen(device, cells), host_seen(device, cells) {}
  HostBuffer host_allowed;
  DeviceBuffer allowed; // the same
  bool known = false;   // something was uploaded
  DeviceBuffer seen;
  HostBuffer host_seen; // the same
  DeviceBuffer kept;    // made when it is first needed
  bool finds = false;   // the frame went through with small objects
};

void CleanupStage::set_format(const Format &format) {
  if (cleanup_ && format.grid == grid_) return;
  grid_ = format.grid;
  cleanup_ = cleanup::make(device_, grid_.width, grid_.height);
  gate_.reset(grid_);
}

std::unique_ptr<StageData> CleanupStage::make_data() {
  return std::make_unique<Data>(device_, std::size_t(grid_.cells()));
}

// The cells of the feedback go up with the first frame of a group, and only where they are others than those
// that this frame's memory has.
cleanup::SmallObjects CleanupStage::small_objects(FrameGroup &group, FrameContext &f,
                                                  const Feedback &feedback, Queue &queue) {
  auto &first = data_of<Data>(*group.frames.front());
  auto &own = data_of<Data>(f);
  own.finds = finds_small(f.settings);
  if (!own.finds) return {};
  const std::span<const std::uint8_t> cells = feedback.small_objects;
  if (&first == &own && !cells.empty()) {
    auto *const host = first.host_allowed.as<std::uint8_t>();
    if (!first.known || !std::equal(cells.begin(), cells.end(), host)) {
      std::copy(cells.begin(), cells.end(), host);
      // Nothing under way looks at this frame's own memory.
      device_.upload(first.allowed.as(), first.host_allowed.as<void>(), cells.size(), uploads_.free(queue));
      uploads_.join(queue);
      first.known = true;
      if (device_.backend() != Backend::cpu) f.bytes += cells.size();
    }
  }
  if (cells.empty()) return {grid_, nullptr, own.seen.as<std::uint8_t>(), nullptr};
  if (!own.kept)
    own.kept = DeviceBuffer(device_, sizeof(std::uint32_t) * std::size_t(cleanup::row_words(grid_.width)) *
                                         std::size_t(grid_.height));
  auto *const kept = own.kept.as<std::uint32_t>();
  f.small_objects = kept;
  return {grid_, first.allowed.as<const std::uint8_t>(), own.seen.as<std::uint8_t>(), kept};
}

void CleanupStage::submit(FrameGroup &group, const Feedback &feedback, Queue &queue) {
  for (FrameContext *f : group.frames)
    cleanup_->apply(f->mask, f->roi.mask, f->settings.cleanup, small_objects(group, *f, feedback, queue),
                    queue);
}

void CleanupStage::fetch(FrameContext &f, Queue &queue) {
  auto &data = data_of<Data>(f);
  if (!data.finds) return;
  device_.download(data.host_seen.as<void>(), data.seen.as(), data.seen.bytes(), queue);
  if (device_.backend() != Backend::cpu) f.bytes += data.seen.bytes();
}

void CleanupStage::finish(FrameContext &f, Feedback &feedback, Queue &) {
  const auto &data = data_of<Data>(f);
  if (!data.finds) {
    if (found_) turned_off(f, feedback);
    return;
  }
  found_ = true;
  gate_.step({data.host_seen.as<const std::uint8_t>(), data.seen.bytes()}, f.seconds);
  feedback.small_objects = gate_.any() ? gate_.allowed() : std::span<const std::uint8_t>{};
}

void CleanupStage::turned_off(FrameContext &, Feedback &feedback) {
  found_ = false;
  gate_.reset(grid_);
  feedback.small_objects = {};
}

} // namespace vigil::gst::cudamog
