// SPDX-License-Identifier: LGPL-2.1-or-later
// Tracks on a frame: a GstVideoRegionOfInterestMeta is a track's box when it has a parameter "track", a
// structure with
//   id          guint64   from 1 on
//   state       string    tracked, grouped or predicted (kernels/track/object.h); the places of the last two
//               are estimates
//   stationary  gboolean
//   age         guint64   ns since it was first seen
//   unseen      guint64   ns since it was last seen
//   vx, vy      gdouble   velocity of the centre in pixels a second
//   group       guint64   the least id of the tracks in the same box, 0: it is alone
// A box with several tracks in it has no such parameter: each of them has a box of its own.
#pragma once

#include "kernels/track/detection.h"
#include "kernels/track/object.h"

#include <gst/video/video.h>
#include <optional>
#include <string>
#include <vector>

namespace vigil::gst {

inline constexpr const char *track_param = "track";

// `now` in seconds, as the track's times. The buffer must be writable.
void add_track(GstVideoRegionOfInterestMeta *, const track::Object &, double now);
// The id of the track whose box it is; 0: of none.
guint64 track_of(GstVideoRegionOfInterestMeta *);
// The place of a meta, whose unsigned numbers are those of signed ones where a box begins outside of the
// picture.
track::Box box_of(const GstVideoRegionOfInterestMeta *);

// A track as it is found on a frame, also one that another element put there: from GStreamer 1.24 on
// detections of GstAnalytics with tracking metadata count when no box has the parameter. Such tracks have no
// velocity and no state but tracked.
struct TrackOnFrame {
  track::Object object; // first_seen and last_seen are 0
  double age = 0;       // seconds
  GQuark type = 0;
  double area = 0;      // the object's pixels in the box, 0: not known
  track::Spread spread; // of these pixels
  std::string label{};  // what it is called, empty: nothing so far
};
// By id; of an id that is there twice the first. Appends to `tracks`, which keeps its memory.
void tracks_on(GstBuffer *, std::vector<TrackOnFrame> &tracks);

// What a track is called. Its box gets a parameter "label", a structure with
//   label   string    as tracklabel's message has it, never empty
//   score   gdouble   0..1
//   taught  gboolean  by examples that a person named
//   by      string    examples, detector, or shape: by shape and motion alone
//   views   guint64   frames that it was judged by
// and its detection in GstAnalytics a related classification (GStreamer 1.24). The buffer must be writable.
enum class NamedBy { shape, detector, examples };
const char *name_of(NamedBy);
struct TrackName {
  std::string label;
  double score = 0;
  NamedBy by = NamedBy::shape;
  guint64 views = 0;
};
inline constexpr const char *label_param = "label";
void add_track_name(GstBuffer *, guint64 track, const TrackName &);
// Nothing: the track has none. Where only GstAnalytics has it, `by` is shape and views is 0.
std::optional<TrackName> track_name_on(GstBuffer *, guint64 track);

// What a track looks like. Its box gets a parameter "appearance", a structure with
//   vector    GBytes   floats of length 1: kernels/label/appearance.h
//   codebook  string   begin of the SHA-256 of the codebook's file
//   pictures  guint64  moments of the track that it is the mean of
// The buffer must be writable.
struct TrackAppearance {
  std::vector<float> vector;
  std::string codebook;
  guint64 pictures = 0;
};
inline constexpr const char *appearance_param = "appearance";
void set_appearance(GstStructure *, const TrackAppearance &); // these fields
void add_track_appearance(GstBuffer *, guint64 track, const TrackAppearance &);

// What another element says is in a box: a GstVideoRegionOfInterestMeta or a detection of GstAnalytics that
// is neither cudamog's nor glcolinearseg's own. Its type is the label, and the parameter "detection" has its
// `confidence`, as DL Streamer writes them.
struct DetectionOnFrame {
  track::Box box;
  std::string label;
  double score = 1; // 0..1; 1 where none is given
};
void detections_on(GstBuffer *buffer, std::vector<DetectionOnFrame> &detections); // appends

// A box whose parameter "blob" has ghost=true: background that was laid bare.
struct GhostOnFrame {
  track::Box box;
  GQuark type = 0;
};
void ghosts_on(GstBuffer *, std::vector<GhostOnFrame> &ghosts); // appends

} // namespace vigil::gst
