// SPDX-License-Identifier: LGPL-2.1-or-later
// min-area: the connected components of the mask with box, area, centroid, moments and mean colour, in pixels
// (kernels/blobs/blobs.h: union-find after Rosenfeld and Pfaltz 1966). finish() makes the boxes and the map
// of the cells that blobs are in.
#pragma once

#include "gst/cudamog/stage.h"
#include "gst/metadata/mask_blobs.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace vigil::gst::cudamog {

class BlobsStage final : public Stage {
 public:
  explicit BlobsStage(Device &device) : device_(device) {}
  const char *name() const override { return "blobs"; }
  void set_format(const Format &) override;
  std::unique_ptr<StageData> make_data() override;
  void submit(FrameGroup &, const Feedback &, Queue &) override;
  void finish(FrameContext &, Feedback &, Queue &) override;

 private:
  struct Data;
  Device &device_;
  cell_grid::Grid grid_;
  std::unique_ptr<MaskBlobs> blobs_;
};

struct BlobsStage::Data final : StageData {
  Data(Device &device, const MaskBlobs &of) : frame(device, of) {}
  MaskBlobs::Frame frame;
};

inline void BlobsStage::set_format(const Format &format) {
  if (blobs_ && format.grid == grid_) return;
  grid_ = format.grid;
  blobs_ = std::make_unique<MaskBlobs>(device_, grid_.width, grid_.height);
}

inline std::unique_ptr<StageData> BlobsStage::make_data() {
  return std::make_unique<Data>(device_, *blobs_);
}

inline void BlobsStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
  for (FrameContext *f : group.frames) {
    const Settings &s = f->settings;
    blobs_->measure(f->mask, f->input, {s.motion.min_area, adapts_rate(s)}, data_of<Data>(*f).frame, queue);
  }
}

inline void BlobsStage::finish(FrameContext &f, Feedback &, Queue &) {
  Detections &d = f.detections;
  std::fill(d.cells.begin(), d.cells.end(), std::uint8_t{0});
  MaskBlobs::Result found = blobs_->find(data_of<Data>(f).frame, d.cells);
  if (device_.backend() != Backend::cpu) f.bytes += found.bytes;
  d.boxes = std::move(found.boxes);
  d.foreground = found.foreground;
  d.shadow = found.shadow;
}

} // namespace vigil::gst::cudamog
