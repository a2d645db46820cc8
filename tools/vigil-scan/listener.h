// SPDX-License-Identifier: LGPL-2.1-or-later
// Keeps what comes out of a chain of elements: its messages and the frames behind it. An element posts what
// it found on a frame before it pushes the frame, on the same thread; so when a frame comes, all messages
// before it are known.
#pragma once

#include "findings.h"

#include <atomic>
#include <gst/gst.h>
#include <mutex>

namespace vigil::scan {

class Listener {
 public:
  // `vectors_every` 0: no frame is chosen for a vector.
  Listener(const Part &part, Time vectors_every) : every_(vectors_every) { findings_.part = part; }
  // For the vector of the first frame at or after `time` alone.
  static Listener of_one_frame(Time time) { return Listener({0, time, forever}, 0, true); }

  void message(const GstStructure *);         // of an element
  enum class Fate { keep, drop };             // of a frame: whether it goes on to get a vector
  Fate frame(GstPad *, GstBuffer *);          // behind the chain
  void scored(GstPad *, GstBuffer *);         // behind gpufisher
  bool finished() const { return finished_; } // a frame behind the part's end was seen
  std::uint64_t frames_seen() const { return seen_; }
  Time mean_step(); // between the frames that were seen; 0: there were fewer than two

  Findings take(); // once no more comes

 private:
  Listener(const Part &part, Time vectors_every, bool one) : every_(vectors_every), one_(one) {
    findings_.part = part;
  }
  // `quiet`: for how long it had been over when that was reported.
  void change(const std::string &label, bool begins, Time, Time quiet);
  void track_begins(const GstStructure *, Time);
  void track_ends(const GstStructure *, Time);
  void look(GstBuffer *, Time); // at the boxes on a frame
  std::mutex mutex_;
  Findings findings_;
  const Time every_;
  const bool one_ = false;
  Time first_ = -1, before_ = -1; // of the first and of the last frame
  std::set<std::string> open_;
  bool begun_ = false; // something began since the last frame
  std::map<std::uint64_t, Track> tracks_;
  std::atomic<bool> finished_ = false;
  std::atomic<std::uint64_t> seen_ = 0;
};

// The stream time of a buffer that is at a pad; -1 when it has none.
Time stream_time(GstPad *, GstBuffer *);
// The vector that gpufisher put on a frame; empty when there is none.
std::vector<float> vector_on(GstBuffer *);

} // namespace vigil::scan
