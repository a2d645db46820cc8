// SPDX-License-Identifier: LGPL-2.1-or-later
// Gives cudamog the camera's masks, drawn in the size of the chain's pictures.
#pragma once

#include "mask_file.h"
#include "picture_size.h"

#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <utility>

namespace vigil::monitor {

class MaskDrawing {
 public:
  // `chain`: the size of its pictures.
  MaskDrawing(GstElement *pipeline, std::shared_ptr<MaskFile> masks, const PictureSize &chain)
      : pipeline_(pipeline), masks_(std::move(masks)), chain_(chain) {}
  void use(GstElement *cudamog) { mog_ = cudamog; } // before frames come

  // The masks as they are now. On the streaming thread when frames of another size come: before the first of
  // them, which an older mask would not fit. It writes a file.
  void draw();

 private:
  GstElement *const pipeline_;
  const std::shared_ptr<MaskFile> masks_;
  const PictureSize &chain_;
  GstElement *mog_ = nullptr;
  std::mutex drawing_; // the last mask drawn is the one in use
};

} // namespace vigil::monitor
