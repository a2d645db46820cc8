// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/tone.h"

#include "common/error.h"
#include "kernels/filter/tone-cl.h"

namespace vigil::filter {
namespace {

constexpr ClRange2 pixel_group{32, 4};

std::string options(PixelFormat format) {
  return text("-D COLOUR=", int(is_colour(format)), " -D BLUE_FIRST=", int(format == PixelFormat::bgra),
              " -D DEEP=", int(is_16_bit(format)), " -D REACH=", tone_reach, " -D OWN=", tone_own,
              " -D LIMIT=", tone_limit, " -D LUMA_R=", tone_luma[0], " -D LUMA_G=", tone_luma[1],
              " -D LUMA_B=", tone_luma[2]);
}

} // namespace

ClTone::ClTone(ClDevice &d, const Tone &t, PixelFormat format) : device_(d), tone_(t), format_(format) {
  const ClProgram program(d, {cl::tone_cl}, options(format));
  blocks_ = program.kernel("tone_means");
  pixels_ = program.kernel("tone_map");
}

void ClTone::set(const Tone &t) {
  tone_ = t;
  sent_ = false;
}

// Only when numbers change.
void ClTone::send_tables(Queue &queue) {
  queue.wait(); // the copy before may be under way
  host_tables_.clear();
  for (const auto *table : {&tone_.level, &tone_.spatial, &tone_.range, &tone_.gain})
    host_tables_.insert(host_tables_.end(), table->begin(), table->end());
  const std::size_t bytes = host_tables_.size() * sizeof host_tables_[0];
  if (tables_.bytes() < bytes) tables_ = DeviceBuffer(device_, bytes);
  device_.upload(tables_.as(), host_tables_.data(), bytes, queue);
  sent_ = true;
}

void ClTone::apply(ConstImage in, Image out, Queue &q) {
  check_pictures(in, out, format_);
  auto &queue = static_cast<ClQueue &>(q);
  if (!sent_) send_tables(queue);
  const int size = tone_.size, columns = (in.width + size - 1) / size, rows = (in.height + size - 1) / size;
  const std::size_t blocks = std::size_t(columns) * std::size_t(rows);
  if (means_.bytes() < blocks * sizeof(cl_int)) means_ = DeviceBuffer(device_, blocks * sizeof(cl_int));
  const ClPlane from = device_.view(in).plane[0], to = device_.view(out).plane[0];
  const cl_mem tables = device_.range_of(tables_.as()).memory, means = device_.range_of(means_.as()).memory;
  blocks_.launch(queue, {std::size_t(columns), std::size_t(rows)}, {1, 1}, from.memory, from.offset,
                 from.stride, in.width, in.height, size, columns, rows, tables, means);
  const int spatial = int(tone_.level.size()), range = spatial + int(tone_.spatial.size()),
            gain = range + int(tone_.range.size());
  const bool fits = pixel_group.x * pixel_group.y <= pixels_.largest_group();
  pixels_.launch(queue, {std::size_t(in.width), std::size_t(in.height)}, fits ? pixel_group : ClRange2{1, 1},
                 from.memory, from.offset, from.stride, to.memory, to.offset, to.stride, in.width, in.height,
                 size, columns, rows, tone_.compression, tone_.detail, tone_.anchor, tables, spatial, range,
                 gain, means);
}

} // namespace vigil::filter
