// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/stages/blobs.h"

#include <algorithm>
#include <utility>

namespace vigil::gst::cudamog {

struct BlobsStage::Data final : StageData {
  Data(Device &device, const MaskBlobs &of) : frame(device, of) {}
  MaskBlobs::Frame frame;
};

void BlobsStage::set_format(const Format &format) {
  if (blobs_ && format.grid == grid_) return;
  grid_ = format.grid;
  blobs_ = std::make_unique<MaskBlobs>(device_, grid_.width, grid_.height);
}

std::unique_ptr<StageData> BlobsStage::make_data() {
  return std::make_unique<Data>(device_, *blobs_);
}

void BlobsStage::submit(FrameGroup &group, const Feedback &, Queue &queue) {
  for (FrameContext *f : group.frames) {
    const Settings &s = f->settings;
    blobs_->measure(f->mask, f->input, {BlobMode::exact, s.motion.min_area, adapts_rate(s)},
                    data_of<Data>(*f).frame, queue);
  }
}

void BlobsStage::finish(FrameContext &f, Feedback &, Queue &) {
  Detections &d = f.detections;
  std::fill(d.cells.begin(), d.cells.end(), std::uint8_t{0});
  MaskBlobs::Found found = blobs_->find(data_of<Data>(f).frame, d.cells);
  if (device_.backend() != Backend::cpu) f.bytes += found.bytes;
  d.boxes = std::move(found.boxes);
  d.foreground = found.foreground;
  d.shadow = found.shadow;
}

} // namespace vigil::gst::cudamog
