// SPDX-License-Identifier: LGPL-2.1-or-later
// One camera's pipeline, from its source to pictures, boxes and compressed frames. It lives as long as one
// connection: after a failure another is built.
//
//   source ! parsebin ! tee ! recorder
//                       tee ! decodebin ! [deinterlace] ! [videoflip] ! videoconvert ! [clbilateral] !
//                             [gpufisher] ! cudamog ! [boxtrack ! boxrules] ! tiles
//
// Raw sources are encoded for the recorder only. The order gpufisher, cudamog lets cudamog's output change
// for viewers. The chain may get smaller pictures (`detect`): videoscale stands before it, and tiles of plain
// pictures are made of those that came.
#pragma once

#include "../config/config.h"
#include "../http/frames.h"
#include "damage_gate.h"
#include "file_loop.h"
#include "key_gate.h"
#include "mask_file.h"
#include "picture_limit.h"
#include "rate_gate.h"
#include "source_drops.h"
#include "tiles.h"
#include "tint.h"
#include "tools/base/contexts.h"
#include "utc.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <gst/video/video.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct PipelineEvents {
  // On streaming threads:
  std::function<void(View, double time, Bytes jpeg)> picture;
  std::function<void(double time, std::vector<Rect> boxes, double area)> frame;
  std::function<void(GstCaps *)> record_caps;
  std::function<void(GstBuffer *, double captured)> record_frame; // by the monotonic clock
  std::function<void(GstCaps *)> sound_caps;
  std::function<void(GstBuffer *, double captured)> sound;
  std::function<void(std::map<std::string, double>, std::vector<float> vector)> scores;
  // On the main thread:
  std::function<void(GstMessage *, double time)> message; // an element message; UTC of its frame
  std::function<void(const std::string &why)> failed;
  std::function<void(const std::string &why)> ended; // what is played once, at its end
  std::function<void(const std::string &text)> warning;
};

// Frames that wait before the chain, at most.
constexpr unsigned chain_waiting = 3;

class CameraPipeline {
 public:
  // `model`: the file in which cudamog keeps what it learns.
  CameraPipeline(const CameraConfig &, const std::string &model, std::shared_ptr<MaskFile>, PipelineEvents,
                 tools::SharedContexts &, const Utc &, std::shared_ptr<TilePlan>);
  ~CameraPipeline(); // takes the pipeline down, which can take long

  // When it fails, `failed` is called by the main loop's next turn. Returns while the source is being opened,
  // which can take for ever (a FIFO that nobody writes to, a network folder).
  void play();
  // Nothing is called any more once this returns, but what runs on other threads at this moment.
  void mute();

  void set_tile_height(int height);
  // Gives cudamog the masks as they are now. On the streaming thread when frames of another size come: before
  // the first of them, which an older mask would not fit.
  void draw_masks();
  void draw_masks_soon(); // on a thread of its own: it writes a file
  // An element of the chain by its name, or null; valid as long as this object is.
  GstElement *element(const std::string &name) const;
  std::vector<GstElement *> elements() const { return chain_; }

  int width() const { return width_; } // of the decoded pictures
  int height() const { return height_; }
  int shown_width() const { return shown_width_; } // the same in square pixels, as tiles have them
  std::uint64_t frames_in() const { return frames_in_; }
  std::uint64_t frames_out() const { return frames_out_; }
  std::uint64_t tiles() const { return tiles_; }
  double latency_ms() const { return latency_ms_; }
  // Frames that source and decoder left out, those before the first key frame, and those that the decoder,
  // the chain or the encoder of clips had no time for. On the main thread.
  std::uint64_t drops() const;

 private:
  struct Callbacks;
  friend struct Callbacks;
  GstElement *add(const char *factory);
  void build_chain();
  bool reduces() const; // whether the chain may get smaller pictures than the camera's
  GstElement *add_reduction(GstElement *last);
  void set_reduction(const GstVideoInfo &); // for such pictures, before the first of them
  // Tiles of the frames of `last` that `into` lets pass, `tinted` where they show overlays; returns the
  // element that sets their size.
  GstElement *build_tiles(GstElement *last, GstPadProbeCallback into, bool tinted);
  // Whether an overlay is drawn on the camera's own picture (tint.h). On a GPU cudamog draws it: there the
  // chain's pictures are smaller only where the configuration asks for it.
  bool tints() const;
  void link_stream(GstPad *);
  void link_compressed(GstPad *, const std::string &caps, const char *parser, const char *record_caps);
  void link_raw(GstPad *);
  void link_sound(GstPad *); // of RTP, to the recording
  // The pad that gives what `pad` gives, at the speed of a recording, in whole JPEG pictures.
  GstPad *prepared(GstPad *pad, const std::string &caps);
  void link_pictures(GstPad *);        // raw ones, to the chain
  void refuse(const std::string &why); // the camera's stream: from now on nothing of it is taken
  void record_from(GstElement *tee, std::initializer_list<GstElement *>, const char *caps);
  void link_encoder();
  void update_tile_caps();
  void set_tile_size(GstElement *tiles, int width, int height);
  const char *why_ended() const; // the stream
  bool is_over() const;          // whether the end of the stream is the end of what was asked for
  void rewind();                 // a file, at its end; when it cannot, `failed` is called
  // Runs f on a thread of its own, which the destructor waits for: opening and seeking wait for others, and
  // many cameras must not wait for each other.
  void on_own_thread(void (*f)(CameraPipeline &));
  double age_of(GstClockTime running) const; // seconds since then; 0 when the time is of no use
  double utc_of(GstClockTime running) const { return utc_.now() - age_of(running); }
  // By the segment of the pad; GST_CLOCK_TIME_NONE when it has none, or the buffer no time.
  static GstClockTime running_time(GstPad *, GstBuffer *);
  double time_of(GstPad *, GstBuffer *) const;
  std::vector<Rect> see_boxes(GstPad *, GstBuffer *);
  std::optional<View> planned(GstPad *, GstPadProbeInfo *) const; // what tiles show of the frame
  bool is_due(GstPad *, GstBuffer *);                             // a picture, by the rate of the analysis
  bool is_needless(GstPad *, GstBuffer *) const; // a compressed frame, by the same: it need not be decoded

  const CameraConfig config_;
  PipelineEvents events_;
  tools::SharedContexts &contexts_;
  const Utc &utc_;
  std::shared_ptr<TilePlan> plan_;
  const std::shared_ptr<MaskFile> masks_;
  std::mutex drawing_; // of masks: the last one drawn is the one in use
  GstElement *pipeline_ = nullptr, *entry_ = nullptr, *raw_tee_ = nullptr, *mog_ = nullptr,
             *reduction_ = nullptr, // what says how large the chain's pictures are; null: as they come
                 *chain_tiles_ = nullptr, *plain_tiles_ = nullptr; // plain_tiles_: with reduction_ alone
  bool halved_ = false; // the chain's pictures; the thread's before the chain
  Tint tint_;
  std::vector<GstElement *> chain_;
  guint watch_ = 0;
  SourceDrops source_drops_; // the main thread's
  KeyGate key_gate_;         // before the decoder; its thread's, as the next two are
  DamageGate damage_gate_;   // behind it
  RateGate rate_gate_;       // behind it, or before the chain where pictures are encoded for the recorder
  PictureLimit limit_;
  GstElement *decode_queue_ = nullptr, *chain_queue_ = nullptr;
  double busy_since_ = 0; // since when frames have had to wait for the chain; 0: they do not
  bool leaks_ = true;     // the queue before the chain
  std::atomic<bool> all_damaged_told_ = false;
  std::atomic<bool> recording_ = false; // the stream has a length and is played at its own speed
  std::unique_ptr<FileLoop> loop_;      // of what has an end; the threads' that link and rewind it
  std::mutex threads_lock_;
  std::condition_variable thread_ended_;
  int threads_ = 0; // under threads_lock_: of on_own_thread(), that still run
  std::atomic<bool> muted_ = false, linked_ = false, refused_ = false;
  std::atomic<bool> encodes_ = false; // pictures for the recorder, which needs all of them
  std::atomic<int> width_ = 0, height_ = 0, shown_width_ = 0; // of the decoded pictures
  std::atomic<int> chain_width_ = 0, chain_height_ = 0, chain_shown_width_ = 0, tile_height_;
  std::atomic<std::uint64_t> frames_in_ = 0, frames_out_ = 0, tiles_ = 0, leaked_ = 0;
  std::atomic<double> latency_ms_ = 0;
};

} // namespace vigil::monitor
