// SPDX-License-Identifier: LGPL-2.1-or-later
// The elements that look at a camera's pictures:
//
//   queue ! [videoscale] ! [clbilateral] ! [gpufisher] ! cudamog ! [boxtrack ! tracklabel ! boxrules]
//
// The order gpufisher, cudamog lets cudamog's output change for viewers. The chain may get smaller pictures
// (`detect`). A camera that is not analysed has no chain: there are no elements then.
#pragma once

#include "../config/config.h"
#include "chain_queue.h"
#include "picture_size.h"

#include <functional>
#include <gst/gst.h>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

class AnalysisChain {
 public:
  AnalysisChain(GstElement *pipeline, const CameraConfig &config) : pipeline_(pipeline), config_(config) {}

  // Adds the elements behind `pictures`, with their settings. `refused`: why a setting is not used. Throws
  // Error::no_device and Error::bad_setting.
  void build(GstElement *pictures, const std::function<void(const std::string &)> &refused);

  ChainQueue &queue() { return *queue_; }
  GstElement *cudamog() const { return mog_; }
  GstElement *last() const { return elements_.back(); }
  // An element by its name, or null; valid as long as the pipeline is.
  GstElement *element(const std::string &name) const;
  const std::vector<GstElement *> &elements() const { return elements_; }
  bool has(const GstObject *) const;

  // Whether its pictures are made smaller, so that plain tiles are of those that came.
  bool reduced() const { return reduction_ != nullptr; }
  // Whether an overlay is drawn on the camera's own picture (tint.h). On a GPU cudamog draws it: there the
  // chain's pictures are smaller only where the configuration asks for it.
  bool tints() const;

  PictureSize &size() { return size_; } // of its pictures
  const PictureSize &size() const { return size_; }

 private:
  static GstPadProbeReturn caps_to_reduce(GstPad *, GstPadProbeInfo *, gpointer);
  bool reduces() const; // whether it may get smaller pictures than the camera's
  GstElement *add_reduction(GstElement *last);
  void set_reduction(const GstVideoInfo &); // for such pictures, before the first of them

  GstElement *const pipeline_;
  const CameraConfig &config_;
  std::optional<ChainQueue> queue_;
  GstElement *mog_ = nullptr;
  GstElement *reduction_ = nullptr; // what says how large its pictures are; null: as they come
  bool halved_ = false;             // its pictures; the thread's before the chain
  std::vector<GstElement *> elements_;
  PictureSize size_;
};

} // namespace vigil::monitor
