// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands before and behind the model so that it can be trusted on a real camera: the exposure undone
// before it (kernels/exposure), its sway found (kernels/registration), ghosts told from what waits behind it
// (kernels/ghost). A pipeline calls, for each frame:
//
//   before()   in the order of the frames, when the model knows the frames before this one: the picture for
//              the model
//   after()    when the mask is final
//   take_light(), moving(), observe()  when the queue got there
//   rates()    for the next frame's model
#pragma once

#include "gst/cudamog/bordered_picture.h"
#include "gst/cudamog/own_picture.h"
#include "gst/cudamog/settings.h"
#include "gst/memory/slots.h"
#include "kernels/activity/activity.h"
#include "kernels/exposure/exposure.h"
#include "kernels/ghost/moving.h"
#include "kernels/ghost/outlines.h"
#include "kernels/ghost/waiting.h"
#include "kernels/registration/registration.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace vigil::gst::cudamog {

class Scene {
 public:
  // What goes with a frame.
  struct Slot {
    Slot(Device &, PixelFormat, const activity::Grid &);
    OwnPicture mapped;
    HostBuffer edges, rims, lines, told;                   // the device writes there; told: *sway
    DeviceBuffer sway;                                     // by which the frame lies beside the model
    ConstImage seen;                                       // by the model
    Shifted background;                                    // as the frame would show it
    const Shift *shift = nullptr;                          // that of `sway`; null: was not looked for
    bool measured = false, due = false, estimated = false; // rims, a look at what waits, lines
  };

  explicit Scene(Device &);
  void set_format(PixelFormat, const activity::Grid &, const exposure::Colours &);
  void forget();            // another model: nothing that was found holds any longer
  void start_over(Queue &); // the same, and the exposure was another one

  ConstImage before(Slot &, const ConstImage &frame, mog::Model &, const Settings &, bool relearning,
                    Queue &);
  void after(Slot &, Plane<const std::uint8_t> mask, const Settings &, double seconds, Queue &);
  // Takes the blobs out of `in_blob` that are light, and their boxes; for observe() of the same frame.
  void take_light(const Slot &, std::span<std::uint8_t> in_blob, std::vector<Box> &);
  // The foreground pixels that tell of motion (kernels/ghost/moving.h), after take_light() of the same frame:
  // the blobs have `reported`, and motion begins from `threshold` pixels on.
  double moving(const Slot &, std::span<const std::uint8_t> in_blob, double reported, double threshold,
                const MotionSettings &, double seconds);
  // Marks the boxes of ghosts.
  void observe(const Slot &, std::span<const std::uint8_t> in_blob, double seconds, const Tuning &,
               std::vector<Box> &);

  // A Pace for each cell of the next frame; empty: all learn as usual.
  std::span<const std::uint8_t> paces(const Tuning &) const;
  // The share of the cells that paces() says are learnt at once.
  double at_once(const Tuning &) const;
  // What the paces mean to a frame that learns at `learning_rate`.
  mog::RateMap rates(const std::uint8_t *map_on_device, const Settings &, double learning_rate) const;
  // Of the frame that came out last.
  const exposure::Lines &lines() const { return lines_; }
  Shift shift() const { return shift_; } // against the model
  const ghost::Waiting &waiting() const { return waiting_; }

 private:
  bool refresh(mog::Model &, Queue &);
  void find_shift(Slot &, const ConstImage &frame, Queue &);
  Device &device_;
  activity::Grid grid_;
  std::unique_ptr<exposure::Exposure> exposure_;
  std::unique_ptr<ghost::Outlines> outlines_;
  std::unique_ptr<registration::Registration> registration_;
  BorderedPicture background_;
  std::uint64_t registered_of_ = 0; // what background_of_ was when registration_ got to know it
  std::uint64_t background_of_ = 0; // the model's frames when background_ was drawn; 0: never
  double since_look_ = 0;           // seconds
  ghost::Waiting waiting_;
  ghost::Moving moving_;
  exposure::Lines lines_;
  Shift shift_;
};

} // namespace vigil::gst::cudamog
