// SPDX-License-Identifier: LGPL-2.1-or-later
// What a camera needs of the program around it. No method waits for a disk, the network or a camera.
#pragma once

#include "../http/frames.h"
#include "../motion/moving_cells.h"
#include "../store/event.h"
#include "utc.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vigil::tools {
class SharedContexts;
}
struct _GstElement; // of GStreamer

namespace vigil::monitor {

class ClipThreads;
class Detector;
class RecordingDisk;
struct DetectorConfig;

// What becomes of a camera's news. Knows no GStreamer.
class CameraNews {
 public:
  CameraNews() = default;
  virtual ~CameraNews() = default;
  CameraNews(const CameraNews &) = delete;
  CameraNews &operator=(const CameraNews &) = delete;

  // On any thread:
  virtual const Utc &utc() const = 0;
  virtual std::string file(const std::string &below) const = 0; // its path in the storage folder
  virtual void log(const std::string &line) = 0;

  // On the main thread:
  // To viewers and MQTT. The kind "camera" says that the camera's description has changed, and needs no more.
  virtual void announce(const std::string &camera, const nlohmann::json &) = 0;
  void changed(const std::string &camera) { announce(camera, {{"kind", "camera"}}); }
  virtual void event(const char *type, const Event &) = 0; // new, update, end
  virtual void thumbnail(const Event &, Bytes jpeg) = 0;
  virtual void vector(const Event &, std::vector<float>) = 0; // gpufisher's, of the event's picture
  virtual void crossing(const std::string &camera, const std::string &line, double time, bool in) = 0;
  // Seconds of motion in each cell during the minute that began at `time`.
  virtual void heat(const std::string &camera, double time, std::vector<float> cells) = 0;
  virtual void motion(const std::string &camera, const MovedSeconds &) = 0; // once a second, where it moved
};

class CameraServices : public CameraNews {
 public:
  // On any thread:
  virtual void on_main(std::function<void()>) = 0;       // runs it on the main thread at some time
  virtual void in_background(std::function<void()>) = 0; // runs it on a thread of its own, which may wait

  // On streaming threads:
  virtual void picture(const std::string &camera, View, bool motion, double time, Bytes jpeg) = 0;

  // Whether anybody may ask for findings as ONVIF's metadata stream. On the main thread.
  virtual bool offers_findings() const = 0;
  // On the main thread; all cameras share what they return, which is good for any thread:
  virtual tools::SharedContexts &contexts() = 0;
  virtual std::shared_ptr<ClipThreads> clips() = 0;
  virtual std::shared_ptr<RecordingDisk> recordings() = 0;
  virtual std::shared_ptr<Detector> detector(const DetectorConfig &) = 0; // one for equal settings

  // On the main thread: gives the element tracklabel the examples of labels, soon, and, if it may look at
  // tracks, the site's codebook.
  virtual void teach(_GstElement *tracklabel, bool may_look) = 0;
};

} // namespace vigil::monitor
