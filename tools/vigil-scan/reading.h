// SPDX-License-Identifier: LGPL-2.1-or-later
// filesrc ! decodebin ! [deinterlace] ! [videoconvert] ! [videoflip] ! gate ! chain ! [gpufisher] ! fakesink,
// in one thread behind the decoder; parsebin takes decodebin's place where no frame is looked at. The gate
// holds the first frame back until the seek to where the part's warm-up begins was made: a model must not
// learn from frames that are not to be seen. The gate also mends the times of frames (frame_times.h).
#pragma once

#include "frame_times.h"
#include "listener.h"
#include "tools/base/contexts.h"
#include "tools/base/pipeline.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace vigil::scan {

// The chain as a bin with a floating reference. Throws Error::bad_setting when it is none.
GstElement *parse_chain(const std::string &elements);
GstElement *make_fisher(const std::string &model);

class Reading {
 public:
  // `opener` is decodebin or parsebin; `chain` and `model` may be empty.
  Reading(const char *opener, const std::string &path, const std::string &chain, const std::string &model,
          Listener *, tools::SharedContexts * = nullptr);
  ~Reading();
  Reading(const Reading &) = delete;
  Reading &operator=(const Reading &) = delete;

  void open();         // up to the first frame, which is held back
  Time duration();     // 0: not known
  void run(Time from); // to the end, or until the listener is finished
  bool reached_end() const { return pipeline_.ended(); }
  void be_strict();     // before open(): of the frames' times (frame_times.h)
  std::string damage(); // of the frames' times; empty: there is none

 private:
  static void pad_added(GstElement *, GstPad *, gpointer);
  static void no_more_pads(GstElement *, gpointer);
  static GstBusSyncReply on_message(GstBus *, GstMessage *, gpointer);
  static GstPadProbeReturn on_time(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn on_gate(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn on_frame(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn on_scored(GstPad *, GstPadProbeInfo *, gpointer);
  template <class Result, class F>
  Result careful(Result otherwise, F) noexcept;
  GstPadProbeReturn mend_time(GstPad *, GstPadProbeInfo *);
  void link_video(GstPad *);
  bool is_of_chain(GstObject *) const;
  bool counts_from_first_picture() const;
  void wait_for(const char *what, const std::function<bool()> &);
  void wake() const {
    gst_element_post_message(pipeline_.element(),
                             gst_message_new_application(nullptr, gst_structure_new_empty("wake")));
  }
  tools::Pipeline pipeline_;
  Listener *listener_;
  tools::SharedContexts *contexts_;
  GstElement *decoder_ = nullptr, *gate_ = nullptr, *chain_ = nullptr;
  gulong block_ = 0;
  std::atomic<bool> at_gate_ = false;
  const bool with_vectors_;
  std::mutex times_mutex_; // of what follows
  FrameTimes times_;
  std::optional<Time> origin_; // of the file's times, once the first frame came
};

} // namespace vigil::scan
