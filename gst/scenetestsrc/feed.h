// SPDX-License-Identifier: LGPL-2.1-or-later
// The inner source of scenetestsrc: one for the pictures, one for the truth. A scene is a pure function of
// the frame's number, so the two need not run in step: each pad has a streaming thread, seeks and ends by
// itself, and neither can hold up the other.
#pragma once

#include "common/cpu/device.h"
#include "common/scene/scene.h"

#include <condition_variable>
#include <gst/video/video.h>
#include <memory>
#include <mutex>

namespace vigil {

// Caps of scenes in the given formats; sizes as scene::Settings has them.
#define VIGIL_SCENE_CAPS(formats)                                                                            \
  "video/x-raw, format = " formats                                                                           \
  ", width = [ 1, 32767 ], height = [ 1, 32767 ], framerate = [ 0/1, 2147483647/1 ]"
#define VIGIL_SCENE_FORMATS "{ I420, NV12, GRAY8, RGBA, RGBx, BGRA, BGRx }"

// What the two share. The pictures' side agrees on size and rate with its peer and makes the scene; the
// truth's side waits for it.
struct Stage {
  std::mutex lock;
  std::condition_variable changed;
  scene::Settings settings; // as the properties say; read when a scene is made
  gint64 timestamp_offset = 0;
  gint num_buffers = -1;
  bool truth_wanted = false; // size and rate must then stay what they are
  std::shared_ptr<const scene::Scene> scene;
  GstVideoInfo info; // the pictures'; valid when there is a scene
  CpuDevice device{0};
};

enum class Role { picture, truth };
GstElement *make_feed(std::shared_ptr<Stage>, Role);

} // namespace vigil
