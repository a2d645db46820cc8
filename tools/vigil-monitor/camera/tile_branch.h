// SPDX-License-Identifier: LGPL-2.1-or-later
// One way of a camera's pictures to viewers, as JPEG:
//
//   queue ! [cudadownload] ! videoscale ! size ! videoconvert ! [tint] ! [cover] ! jpegenc
#pragma once

#include "../http/frames.h"
#include "frame_clock.h"
#include "frame_delivery.h"
#include "picture_size.h"
#include "tiles.h"
#include "tint.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <memory>
#include <optional>

namespace vigil::monitor {

// All branches of a camera share it.
struct TileOutput {
  // On streaming threads:
  std::function<void(View, double time, Bytes jpeg)> picture;
  std::function<void(GstPad *)> cover; // the pictures that come through the pad, where the camera has privacy
  std::atomic<std::uint64_t> tiles = 0; // that were made
};

class TileBranch {
 public:
  // The branch takes the frames of views for which `shows` is true. They come in this size.
  struct Use {
    std::function<bool(View)> shows;
    const PictureSize &size;
    bool uncovered = false; // its pictures go to viewers who may see them, and nowhere else
    Tint *tint = nullptr;   // draws the overlay; null: nothing is drawn
  };
  TileBranch(GstElement *pipeline, const FrameClock &, const FrameDelivery &, std::shared_ptr<TilePlan>,
             TileOutput &, Use);

  void build(GstElement *last); // behind this element
  void set_height(int tile_height);

 private:
  struct Callbacks;
  // What the plan says of a frame; none: no picture is made of it.
  std::optional<View> planned(GstClockTime running) const;
  GstFlowReturn take(GstSample *);

  GstElement *const pipeline_;
  const FrameClock &clock_;
  const FrameDelivery &delivery_;
  const std::shared_ptr<TilePlan> plan_;
  TileOutput &output_;
  const Use use_;
  GstElement *size_ = nullptr; // what sets the size of the tiles
};

} // namespace vigil::monitor
