// SPDX-License-Identifier: LGPL-2.1-or-later
// min-area: the connected components of the mask with box, area, centroid, moments and mean colour, in pixels
// (kernels/blobs/blobs.h: union-find after Rosenfeld and Pfaltz 1966). finish() makes the boxes and the map
// of the cells that blobs are in.
#pragma once

#include "gst/cudamog/stage.h"
#include "gst/metadata/mask_blobs.h"

#include <memory>

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

} // namespace vigil::gst::cudamog
