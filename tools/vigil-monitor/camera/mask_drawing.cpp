// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mask_drawing.h"

#include "common/error.h"

#include <string>

namespace vigil::monitor {

void MaskDrawing::draw() {
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
