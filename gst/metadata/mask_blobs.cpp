// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/metadata/mask_blobs.h"

#include <algorithm>

namespace vigil::gst {

MaskBlobs::Frame::Frame(Device &device, const MaskBlobs &of)
    : cells_(device, sizeof(cell_grid::Cell) * std::size_t(of.grid_.cells())),
      host_cells_(device, cells_.bytes()), results_(device, of.config_) {}

MaskBlobs::MaskBlobs(Device &device, int width, int height)
    : device_(device), grid_(cell_grid::grid_for(width, height)), config_{width, height},
      finder_(blobs::make(device, config_)), counter_(cell_grid::make(device)) {}

void MaskBlobs::measure(Plane<const std::uint8_t> mask, const ConstImage &picture, const Wanted &wanted,
                        Frame &f, Queue &queue) {
  f.mode_ = wanted.mode;
  f.marks_ = wanted.marks;
  f.min_area_ = std::uint32_t(std::max(wanted.min_area, 1));
  if (f.mode_ == BlobMode::cells) return counter_->apply(mask, grid_, f.cells_.as<cell_grid::Cell>(), queue);
  blobs::Extras extras;
  extras.picture = picture;
  f.colours_ = !picture.data[0] ? 0 : picture.format == PixelFormat::gray8 ? 1 : 3;
  if (f.marks_)
    extras.map = {f.cells_.as<std::uint8_t>(), grid_.size, grid_.columns, grid_.rows,
                  f.host_cells_.as<std::uint8_t>()};
  finder_->apply(mask, {f.min_area_}, extras, f.results_, queue);
}

void MaskBlobs::fetch(Frame &f, Queue &queue) {
  if (f.mode_ == BlobMode::cells) // exact blobs and their marks come by themselves
    device_.download(f.host_cells_.as<void>(), f.cells_.as(), f.cells_.bytes(), queue);
}

MaskBlobs::Found MaskBlobs::find(Frame &f, std::span<std::uint8_t> marks) {
  Found found;
  const auto cells = std::size_t(grid_.cells());
  if (f.mode_ == BlobMode::cells) {
    const cell_grid::Blobs blobs =
        cell_grid::find_blobs({f.host_cells_.as<const cell_grid::Cell>(), cells}, grid_, f.min_area_);
    for (const cell_grid::Blob &b : blobs.blobs)
      found.boxes.push_back({b.x, b.y, b.width, b.height, b.area, {}});
    found.foreground = blobs.foreground;
    found.bytes = f.cells_.bytes();
  } else {
    for (const blobs::Blob &b : f.results_.blobs()) found.boxes.push_back(box_of(b, f.colours_));
    found.foreground = f.results_.head().foreground;
    found.shadow = f.results_.head().between;
    found.bytes = f.results_.bytes() + (f.marks_ ? cells : 0);
    if (f.marks_ && !marks.empty()) std::copy_n(f.host_cells_.as<const std::uint8_t>(), cells, marks.begin());
  }
  for (const Box &b : found.boxes) found.area += b.area;
  return found;
}

Box box_of(const blobs::Blob &b, int channels) {
  const blobs::Moments m = blobs::moments(b);
  BlobDetails details{m.x, m.y, m.xx, m.xy, m.yy, channels, {}};
  for (int i = 0; i < channels; i++) details.colour[i] = double(b.sum_colour[i]) / double(b.area);
  return {b.x, b.y, b.width, b.height, b.area, details};
}

} // namespace vigil::gst
