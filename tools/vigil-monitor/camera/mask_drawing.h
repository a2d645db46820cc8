// SPDX-License-Identifier: LGPL-2.1-or-later
// Gives cudamog the camera's masks, drawn in the size of the chain's pictures.
#pragma once

#include "common/error.h"
#include "mask_file.h"
#include "picture_size.h"

#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <string>
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

inline void MaskDrawing::draw() {
  const std::lock_guard guard(drawing_);
  int w = 0, h = 0;
  do { // again when the size changed meanwhile, on the other thread
    w = chain_.width(), h = chain_.height();
    if (w <= 0 || h <= 0) return;
    std::string file;
    try {
      file = masks_->draw(w, h);
    } catch (const Error &e) { // without its masks the camera still sees
      GST_ELEMENT_WARNING(pipeline_, RESOURCE, WRITE, ("%s", e.what()), (nullptr));
    }
    g_object_set(mog_, "mask-location", file.empty() ? nullptr : file.c_str(), nullptr);
  } while (w != chain_.width() || h != chain_.height());
}

} // namespace vigil::monitor
