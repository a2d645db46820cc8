// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/metadata/mask_blobs.h"

#include <algorithm>

namespace vigil::gst {

MaskBlobs::Frame::Frame(Device &device, const MaskBlobs &of)
    : cells_(device, std::size_t(of.grid_.cells())), host_cells_(device, cells_.bytes()),
      results_(device, of.config_) {}

MaskBlobs::MaskBlobs(Device &device, int width, int height)
    : grid_(cell_grid::grid_for(width, height)), config_{width, height},
      finder_(blobs::make(device, config_)) {}

void MaskBlobs::measure(Plane<const std::uint8_t> mask, const ConstImage &picture, const Wanted &wanted,
                        Frame &f, Queue &queue) {
  f.marks_ = wanted.marks;
  f.min_area_ = std::uint32_t(std::max(wanted.min_area, 1));
  blobs::Extras extras;
  extras.picture = picture;
  f.colours_ = !picture.data[0] ? 0 : picture.format == PixelFormat::gray8 ? 1 : 3;
  if (f.marks_)
    extras.map = {f.cells_.as<std::uint8_t>(), grid_.size, grid_.columns, grid_.rows,
                  f.host_cells_.as<std::uint8_t>()};
  finder_->apply(mask, {f.min_area_}, extras, f.results_, queue);
}

MaskBlobs::Result MaskBlobs::find(Frame &f, std::span<std::uint8_t> marks) {
  Result found;
  const auto cells = std::size_t(grid_.cells());
  for (const blobs::Blob &b : f.results_.blobs()) found.boxes.push_back(box_of(b, f.colours_));
  found.foreground = f.results_.head().foreground;
  found.shadow = f.results_.head().between;
  found.bytes = f.results_.bytes() + (f.marks_ ? cells : 0);
  if (f.marks_ && !marks.empty()) std::copy_n(f.host_cells_.as<const std::uint8_t>(), cells, marks.begin());
  for (const BlobBox &b : found.boxes) found.area += b.area;
  return found;
}

BlobBox box_of(const blobs::Blob &b, int channels) {
  const blobs::Moments m = blobs::moments(b);
  BlobDetails details{m.x, m.y, m.xx, m.xy, m.yy, channels, {}};
  for (int i = 0; i < channels; i++) details.colour[i] = double(b.sum_colour[i]) / double(b.area);
  return {b.x, b.y, b.width, b.height, b.area, details};
}

} // namespace vigil::gst
