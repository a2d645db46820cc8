// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether cudamog knows the view that the camera has. While the camera turns it does not, until it has learnt
// the new view, or has the model of it.
#pragma once

#include "pipeline_threads.h"
#include "still_picture.h"

#include <atomic>
#include <gst/gst.h>
#include <mutex>
#include <string>

namespace vigil::monitor {

class ViewLearning {
 public:
  explicit ViewLearning(PipelineThreads &threads) : threads_(threads) {}
  void use(GstElement *cudamog) { mog_ = cudamog; } // before frames come; without it nothing is learnt

  // On the main thread.
  void begin_turn();
  void end_turn();
  // cudamog begins anew, with the model in this file where there is one; empty: without. On a thread of its
  // own, at whose end turning() is false.
  void learn(const std::string &model);

  // On any thread.
  bool turning() const { return turning_; }
  bool picture_still() const;
  // Whether cudamog compares frames with what it has learnt of the scene before the camera.
  bool known() const;

  // A frame on its way to cudamog. On the chain's thread.
  void see(GstPad *, GstBuffer *);

 private:
  PipelineThreads &threads_;
  GstElement *mog_ = nullptr;
  StillPicture still_;
  std::atomic<bool> turning_ = false;
  std::mutex lock_;
  unsigned turns_ = 0; // under lock_
};

} // namespace vigil::monitor
