// SPDX-License-Identifier: LGPL-2.1-or-later
// The pipeline of the stream that is looked at, from its source to pictures and boxes, and to compressed
// frames where the same stream is recorded.
//
//   source ! parsebin ! tee ! recorder
//                       tee ! decodebin ! [deinterlace] ! [videoflip] ! videoconvert ! [clbilateral] !
//                             [gpufisher] ! cudamog ! [boxtrack ! boxrules] ! tiles
//                                                                            [onvifmeta]
//
// A camera that is not analysed has no chain. Nothing of a stream that is stored as it comes is decoded then,
// and another one goes from the tee to the encoder and the tiles.
//
// Raw sources are encoded for the recorder only. The order gpufisher, cudamog lets cudamog's output change
// for viewers. The chain may get smaller pictures (`detect`): videoscale is before it, and tiles of plain
// pictures are made of those that came.
#pragma once

#include "../config/config.h"
#include "../http/frames.h"
#include "damage_gate.h"
#include "key_gate.h"
#include "mask_file.h"
#include "rate_gate.h"
#include "still_picture.h"
#include "stream_pipeline.h"
#include "tiles.h"
#include "tint.h"
#include "utc.h"

#include <atomic>
#include <functional>
#include <gst/video/video.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

class Detector;
class TrackCrops;
struct StoredFormat;

struct PipelineEvents : StreamEvents {
  // On streaming threads:
  std::function<void(View, double time, Bytes jpeg)> picture;
  std::function<void(double time, std::vector<Rect> boxes, double area)> frame;
  std::function<void(std::map<std::string, double>, std::vector<float> vector)> scores;
  // What the chain found as ONVIF's metadata stream, and when its frame was captured, by the monotonic clock;
  // null: nobody will ask for it.
  std::function<bool()> findings_wanted;
  std::function<void(const Bytes &document, double captured)> findings;
};

// Frames that wait before the chain, at most.
constexpr unsigned chain_waiting = 3;

class CameraPipeline final : public StreamPipeline {
 public:
  // `model`: the file in which cudamog keeps what it learns. `detector`: null, there is none.
  CameraPipeline(const CameraConfig &, const std::string &model, std::shared_ptr<MaskFile>, PipelineEvents,
                 tools::SharedContexts &, const Utc &, std::shared_ptr<TilePlan>,
                 std::shared_ptr<Detector> detector);
  ~CameraPipeline() override;
  void mute() override;

  void set_tile_height(int height);
  // Gives cudamog the masks as they are now. On the streaming thread when frames of another size come: before
  // the first of them, which an older mask would not fit.
  void draw_masks();
  void draw_masks_soon(); // on a thread of its own: it writes a file
  // An element of the chain by its name, or null; valid as long as this object is.
  GstElement *element(const std::string &name) const;
  std::vector<GstElement *> elements() const { return chain_; }

  // The camera turns: boxes are taken off the frames, so that there are no tracks of it, until the view is
  // learnt. On the main thread.
  void begin_turn();
  void end_turn();
  bool turning() const { return turning_; }
  bool picture_still() const { return still_.still(Utc::monotonic_seconds()); }
  // cudamog begins anew, with the model in this file where there is one; empty: without. On a thread of its
  // own, at whose end turning() is false.
  void learn_view(const std::string &model);

  int width() const { return width_; } // of the decoded pictures
  int height() const { return height_; }
  int shown_width() const { return shown_width_; } // the same in square pixels, as tiles have them
  std::uint64_t tiles() const override { return tiles_; }
  double latency_ms() const { return latency_ms_; }
  // Frames that source and decoder left out, those before the first key frame, and those that the decoder,
  // the chain or the encoder of clips had no time for. On the main thread.
  std::uint64_t drops() const;

 private:
  struct Callbacks;
  friend struct Callbacks;
  void link(GstPad *, const std::string &caps) override;
  bool counts_drops_of(GstObject *) const override;
  bool encodes() const; // raw pictures for the recorder
  void build_entry();   // of raw pictures
  void build_chain();   // what looks at them
  void build_tiles_alone();
  void add_detector(std::shared_ptr<Detector>);
  bool reduces() const; // whether the chain may get smaller pictures than the camera's
  GstElement *add_reduction(GstElement *last);
  void set_reduction(const GstVideoInfo &); // for such pictures, before the first of them
  // Tiles of the frames of `last` that `into` lets pass, `tinted` where they show overlays; returns the
  // element that sets their size.
  GstElement *build_tiles(GstElement *last, GstPadProbeCallback into, bool tinted);
  // Tiles of the pictures as they are, which go to viewers who may see them, and nowhere else.
  void build_uncovered_tiles();
  // Of such a branch: what sets the size of its tiles, and what encodes them.
  struct TileParts {
    GstElement *size, *encode;
  };
  TileParts add_tiles(GstElement *last, GstPadProbeCallback into,
                      GstFlowReturn (*taken)(GstAppSink *, gpointer));
  // Documents of what is found in the frames of `last`; returns the element that tiles go on from.
  GstElement *build_findings(GstElement *last);
  // Whether an overlay is drawn on the camera's own picture (tint.h). On a GPU cudamog draws it: there the
  // chain's pictures are smaller only where the configuration asks for it.
  bool tints() const;
  void link_compressed(GstPad *, const std::string &caps);
  void link_stored_alone(GstPad *, const StoredFormat &, const std::string &caps);
  void count_frames(GstPad *); // where no chain does
  void link_raw(GstPad *);
  void link_pictures(GstPad *); // raw ones, to the chain
  void link_encoder();
  void update_tile_caps();
  void set_tile_size(GstElement *tiles, int width, int height);
  std::vector<Rect> see_boxes(GstPad *, GstBuffer *);
  void look_whether_still(GstPad *, GstBuffer *);
  bool knows_scene() const;
  std::optional<View> planned(GstPad *, GstPadProbeInfo *) const; // what tiles show of the frame
  bool plans_before_chain() const { return reduction_ || uncovered_tiles_ || !config_.analysed; }
  bool is_due(GstPad *, GstBuffer *);            // a picture, by the rate of the analysis
  bool is_needless(GstPad *, GstBuffer *) const; // a compressed frame, by the same: it need not be decoded

  const PipelineEvents events_;
  const std::shared_ptr<TilePlan> plan_;
  const std::shared_ptr<MaskFile> masks_;
  std::mutex drawing_; // of masks: the last one drawn is the one in use
  GstElement *entry_ = nullptr, *raw_tee_ = nullptr, *mog_ = nullptr,
             *reduction_ = nullptr, // what says how large the chain's pictures are; null: as they come
                 *chain_tiles_ = nullptr, *plain_tiles_ = nullptr, // plain_tiles_: with reduction_ alone
                                              *uncovered_tiles_ = nullptr;
  bool halved_ = false; // the chain's pictures; the thread's before the chain
  Tint tint_;
  StillPicture still_;
  std::atomic<bool> turning_ = false;
  std::mutex turn_lock_;
  unsigned turns_ = 0;                // under turn_lock_
  std::unique_ptr<TrackCrops> crops_; // null: no detector
  std::vector<GstElement *> chain_;
  KeyGate key_gate_;       // before the decoder; its thread's, as the next one is
  DamageGate damage_gate_; // behind it
  RateGate rate_gate_;     // behind it, or before the chain where pictures are encoded for the recorder
  bool analysed_ = true;   // the picture that goes to the chain and to the plain tiles; its thread's
  GstElement *decode_queue_ = nullptr, *chain_queue_ = nullptr;
  double busy_since_ = 0; // since when frames have had to wait for the chain; 0: they do not
  bool leaks_ = true;     // the queue before the chain
  std::atomic<bool> all_damaged_told_ = false;
  std::atomic<bool> encodes_ = false; // pictures for the recorder, which needs all of them
  std::atomic<int> width_ = 0, height_ = 0, shown_width_ = 0; // of the decoded pictures
  std::atomic<int> chain_width_ = 0, chain_height_ = 0, chain_shown_width_ = 0, tile_height_;
  std::atomic<std::uint64_t> tiles_ = 0, leaked_ = 0;
  std::atomic<double> latency_ms_ = 0;
};

} // namespace vigil::monitor
