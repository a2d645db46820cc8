// SPDX-License-Identifier: LGPL-2.1-or-later
// The inside of the element tracklabel, for the files that make it up:
//   element.cpp    the GObject: properties, start and stop
//   streaming.cpp  tracks in, names out
//   appearances.h  what tracks look like
// What a track is called is decided in kernels/label.
#pragma once

#include "gst/memory/cuda_context.h"
#include "gst/metadata/track_meta.h"
#include "gst/properties.h"
#include "gst/tracklabel/appearances.h"
#include "gst/transform/any_frames.h"
#include "gst/transform/cuda_selector.h"
#include "kernels/label/classifier.h"
#include "kernels/label/votes.h"

#include <gst/base/gstbasetransform.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

GST_DEBUG_CATEGORY_EXTERN(track_label_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT track_label_debug

namespace vigil::gst::tracklabel {

struct Tuning {
  int min_views = 8, min_time = 700, forget_after = 3000; // ms
  int most_pictures = 4, most_pictures_of_frame = 2;
  float threshold = 0.5f;
  bool shape_rule = true, detections = true, post_messages = true;
  bool operator==(const Tuning &) const = default;
};
inline constexpr auto tuning_table = std::tuple{
    param("shape-rule", "Shape rule",
          "Whether tracks are named person, vehicle or other by shape and motion where no taught label fits",
          &Tuning::shape_rule),
    param("detections", "Detections",
          "Whether boxes of other elements that lie on a track name it (DL Streamer, GstAnalytics), where "
          "no taught label fits",
          &Tuning::detections),
    param("threshold", "Threshold",
          "Least score of a label, 0..1; below it a track stays without one. Higher: fewer wrong labels, "
          "more tracks without a label",
          &Tuning::threshold, 0.f, 1.f),
    param("min-views", "Least views",
          "Frames in which a track was seen alone before it gets a label; of one that was so in nearly every "
          "frame, half as many, after min-time. Higher: later, and more reliable",
          &Tuning::min_views, 2, 1000),
    param("min-time", "Least time",
          "Least time from a track's first view to its label, in milliseconds. Higher: later, and more "
          "reliable",
          &Tuning::min_time, 0, 60000),
    param("forget-after", "Forget after",
          "Milliseconds without a frame that has the track, after which the track has ended",
          &Tuning::forget_after, 100, 600000),
    param(
        "most-pictures", "Most pictures",
        "With a codebook: moments of a track that its appearance is taken from. Higher: less depends on one "
        "moment, and more time is spent",
        &Tuning::most_pictures, 1, 16),
    param("most-pictures-of-frame", "Most pictures of a frame",
          "With a codebook: tracks of a frame that a picture is taken of; the others wait for the next frame",
          &Tuning::most_pictures_of_frame, 0, 64),
    param("post-messages", "Post messages", "Whether track-label is posted on the bus",
          &Tuning::post_messages),
};

// Where tracks are looked at.
struct Where : CudaChoice {
  BackendChoice backend = BackendChoice::cpu;
  bool operator==(const Where &) const = default;
};

struct Settings {
  Tuning tuning;
  std::string model_location;    // empty: nothing was taught
  std::string codebook_location; // empty: tracks are not looked at
  Looking looking;
  Where where;
};

struct Stats {
  guint64 frames = 0, current = 0, decided = 0, changed = 0, ended = 0, pictures = 0;
  std::map<std::string, guint64> ended_as; // by label
};

// The name of a track so far.
struct Verdict {
  std::string label; // empty: none
  double score = 0;
  NamedBy by = NamedBy::shape;
};

// What a detector outside of the pipeline says of a track (the action signal).
struct Answer {
  guint64 track = 0;
  std::string label; // empty: it found nothing
  double score = 0;
};

// What was learnt of the place where pictures have this size.
struct Place {
  double width = 0, height = 0;
  label::PlaceScale scale;
};

struct Subject {
  label::TrackViews views;
  label::Votes votes;         // of detectors
  label::BestMoments moments; // empty without a codebook
  Verdict verdict;
  bool decided = false;
  double seen = 0, judge_at = 0; // seconds: on a frame for the last time; when it is judged next
  double first_seen = 0;
  std::size_t frames = 0; // since it was first seen
};

// Shared by all elements that use the same file.
using Taught = std::shared_ptr<const label::Classifier>;
// What tracks are named by: what was taught, and, where there is one, the codebook of its vectors.
struct Model {
  Taught taught = std::make_shared<const label::Classifier>();
  std::shared_ptr<Codebook> codebook{};
  std::string codebook_id() const { return codebook ? codebook->id : ""; }
};

// The streaming thread's own.
struct Stream {
  StreamPosition place;
  std::vector<TrackOnFrame> tracks;
  std::vector<DetectionOnFrame> detections;
  std::map<guint64, Subject> subjects; // by the track's id
  label::PlaceScale scale;
  Model in_use; // on this frame
  Appearances appearances;
};

struct Impl {
  CudaContext cuda; // outlives what the codebook has there

  std::mutex mutex; // guards these; held for moments, by any thread
  Settings settings;
  Stats stats;
  Model model;
  bool started = false;
  std::vector<Answer> answers;     // that the streaming thread has not taken yet
  Place learnt;                    // a copy of the stream's `scale`
  std::optional<Place> remembered; // that was set, and is taken with the next caps

  Stream stream;

  Tuning snapshot() {
    const std::lock_guard lock(mutex);
    return settings.tuning;
  }
};

} // namespace vigil::gst::tracklabel

struct GstTrackLabel {
  GstBaseTransform parent;
  vigil::gst::tracklabel::Impl *impl;
};

namespace vigil::gst::tracklabel {

inline Impl &impl_of(gpointer self) {
  return *static_cast<GstTrackLabel *>(self)->impl;
}
GstBaseTransformClass *parent_class();
void install_streaming(GstBaseTransformClass *);
// Of an empty location: nothing was taught, no codebook. One of the same bytes as `before`'s is that one.
// Throws as label::read_examples(), read_text_file() and load_codebook() do. With the element's device.
Model load_model(GstElement *, Impl &, const Settings &, const Model &before);

} // namespace vigil::gst::tracklabel
