// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/glcolinearseg/worker.h"

#include "common/error.h"

#include <algorithm>

namespace vigil::gst::glcolinearseg {
namespace {

constexpr std::size_t timers = 8; // frames that may be under way before one goes untimed

} // namespace

void Worker::check_size(const Picture &p) const {
  if (p.width != width() || p.height != height())
    fail(Error::Kind::bad_data, "the background image is of ", p.width, "x", p.height,
         " pixels, but the frames are of ", width(), "x", height(), "; give one of the frames' size");
}

FrameTimes::FrameTimes(Device *device) {
  for (std::size_t i = 0; device && i < timers; i++) idle_.push_back(device->make_timer());
}

void FrameTimes::start(Queue &queue, Stats &stats) {
  while (!running_.empty() && running_.front()->ready()) {
    stats.gpu_ms += stats.gpu_last_ms = running_.front()->milliseconds();
    stats.timed_frames++;
    idle_.push_back(std::move(running_.front()));
    running_.pop_front();
  }
  if (!idle_.empty()) idle_.back()->start(queue);
}

void FrameTimes::stop(Queue &queue) {
  if (idle_.empty()) return;
  idle_.back()->stop(queue);
  running_.push_back(std::move(idle_.back()));
  idle_.pop_back();
}

colinearseg::Show show_for(Output o) {
  using colinearseg::Show;
  switch (o) {
  case Output::overlay:
    return Show::overlay;
  case Output::cutout:
    return Show::cutout;
  case Output::background:
    return Show::background;
  default:
    return Show::mask;
  }
}

Found found_in(std::span<const activity::Cell> cells, const activity::Grid &grid, const MotionSettings &m) {
  Found found;
  std::uint64_t area = 0;
  for (const activity::Blob &b :
       activity::find_blobs(cells, grid, static_cast<std::uint32_t>(m.min_area)).blobs) {
    found.boxes.push_back({b.x, b.y, b.width, b.height, b.area});
    area += b.area;
  }
  found.changed_fraction = double(area) / (double(grid.width) * grid.height);
  return found;
}

} // namespace vigil::gst::glcolinearseg
