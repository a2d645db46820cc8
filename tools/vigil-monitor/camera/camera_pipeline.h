// SPDX-License-Identifier: LGPL-2.1-or-later
// The pipeline of the stream that is looked at, from its source to pictures and boxes, and to compressed
// frames where the same stream is recorded.
//
//   source ! parsebin ! tee ! recorder, or, with privacy, viewers who may see it uncovered
//                       tee ! decodebin ! [deinterlace] ! [videoflip] ! videoconvert ! [clbilateral] !
//                             [gpufisher] ! cudamog ! [boxtrack ! boxrules] ! tiles
//                                                                            [onvifmeta]
//
// A camera that is not analysed has no chain. Nothing of a stream that is stored as it comes is decoded then,
// and another one goes from the tee to the encoder and the tiles.
//
// Raw sources are encoded for the recorder only. Where the chain gets smaller pictures (analysis_chain.h),
// tiles of plain pictures are made of those that came.
#pragma once

#include "../config/config.h"
#include "../http/frames.h"
#include "analysis_chain.h"
#include "decoder_gate.h"
#include "findings_branch.h"
#include "mask_drawing.h"
#include "picture_entry.h"
#include "picture_selection.h"
#include "stream_pipeline.h"
#include "tile_branches.h"
#include "utc.h"
#include "view_learning.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
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

class CameraPipeline final : public StreamPipeline {
 public:
  // `model`: the file in which cudamog keeps what it learns. `detector`: null, there is none.
  CameraPipeline(const CameraConfig &, const std::string &model, std::shared_ptr<MaskFile>, PipelineEvents,
                 tools::SharedContexts &, const Utc &, std::shared_ptr<TilePlan>,
                 std::shared_ptr<Detector> detector);
  ~CameraPipeline() override;
  void mute() override;

  void set_tile_height(int height) { tiles_.set_height(height); }
  // Gives cudamog the masks as they are now, on a thread of its own: it writes a file.
  void draw_masks_soon();
  // An element of the chain by its name, or null; valid as long as this object is.
  GstElement *element(const std::string &name) const { return chain_.element(name); }
  std::vector<GstElement *> elements() const { return chain_.elements(); }

  // The camera turns: boxes are taken off the frames, so that there are no tracks of it, until the view is
  // learnt (view_learning.h). On the main thread.
  void begin_turn() { view_.begin_turn(); }
  void end_turn() { view_.end_turn(); }
  bool turning() const { return view_.turning(); }
  bool picture_still() const { return view_.picture_still(); }
  void learn_view(const std::string &model) { view_.learn(model); }

  int width() const { return entry_.size().width(); } // of the decoded pictures
  int height() const { return entry_.size().height(); }
  int shown_width() const {
    return entry_.size().shown_width();
  } // the same in square pixels, as tiles have them
  std::uint64_t tiles() const override { return tiles_.tiles(); }
  double latency_ms() const { return latency_ms_; }
  // Frames that source and decoder left out, those before the first key frame, and those that the decoder,
  // the chain or the encoder of clips had no time for. On the main thread.
  std::uint64_t drops() const;

 private:
  struct Callbacks;
  void link(GstPad *, const std::string &caps) override;
  bool counts_drops_of(GstObject *o) const override { return chain_.has(o); }
  bool encodes() const; // raw pictures for the recorder
  void watch_entry();
  void build_tiles_alone();
  void build_chain();
  void watch_chain();
  void add_detector(std::shared_ptr<Detector>);
  void link_compressed(GstPad *, const std::string &caps);
  void link_stored_alone(GstPad *, const StoredFormat &, const std::string &caps);
  void count_frames(GstPad *); // where no chain does
  void link_raw(GstPad *);
  void link_pictures(GstPad *); // raw ones, to the chain
  void link_encoder();
  std::vector<Rect> see_boxes(GstPad *, GstBuffer *);
  bool plans_before_chain() const {
    return chain_.reduced() || config_.privacy.shows_uncovered() || !config_.analysed;
  }

  const PipelineEvents events_;
  const std::shared_ptr<TilePlan> plan_;
  PictureEntry entry_;
  PictureSelection selection_;
  DecoderGate decoder_gate_;
  AnalysisChain chain_;
  ViewLearning view_;
  MaskDrawing masks_;
  Tint tint_;
  TileBranches tiles_;
  FindingsBranch findings_;
  std::unique_ptr<TrackCrops> crops_;     // null: no detector
  std::atomic<std::uint64_t> leaked_ = 0; // pictures that the encoder had no time for
  std::atomic<double> latency_ms_ = 0;
};

} // namespace vigil::monitor
