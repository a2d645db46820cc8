// SPDX-License-Identifier: LGPL-2.1-or-later
// Who is given a camera's compressed stream as it comes, and the sound that a new viewer begins with. Used
// with Recorder's lock held.
#pragma once

#include "access_units.h"
#include "gst/video/gst_ptr.h"
#include "stream_viewer.h"

#include <array>
#include <cstddef>
#include <gst/gst.h>
#include <memory>
#include <vector>

namespace vigil::monitor {

class StreamViewers {
 public:
  struct Sound {
    gst::CapsPtr sent, stored; // null: there is none, or none has come yet
    gst::BufferPtr latest;     // as it is sent; null: none has come lately
    double latest_time = 0;
  };
  // `now`: of the last picture.
  Sound sound(double now) const;
  const GstCaps *sent() const { return caps_[static_cast<std::size_t>(SoundForm::sent)].get(); }

  bool has_room() const { return viewers_.size() < most; }
  void add(const std::shared_ptr<StreamViewer> &v) { viewers_.push_back(v); }
  void remove(const std::shared_ptr<StreamViewer> &v) { std::erase(viewers_, v); }

  void push(GstBuffer *, double time);
  void push_sound(SoundForm, GstCaps *, GstBuffer *, double time);
  void end(); // the stream
  void forget_sound();

 private:
  static constexpr std::size_t most = 16;
  std::vector<std::shared_ptr<StreamViewer>> viewers_;
  std::array<gst::CapsPtr, 2> caps_; // of sound, by SoundForm
  gst::BufferPtr latest_;            // sound as it is sent
  double latest_time_ = 0;
};

} // namespace vigil::monitor
