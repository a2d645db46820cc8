// SPDX-License-Identifier: LGPL-2.1-or-later
// The records of the live stream (docs/reference/live-stream.md), and the queue of one viewer.
#pragma once

#include "../camera/tiles.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace vigil::monitor {

using Bytes = std::shared_ptr<const std::string>; // shared by all viewers

std::string record_head(char type, const std::string &camera, View view, bool motion, std::size_t payload,
                        double time);

// Bounded in number and in bytes: of pictures the oldest of the same camera and view goes when its next one
// comes; when too much text waits, the viewer is closed.
class ViewerQueue {
 public:
  void picture(const std::string &camera, View, bool motion, double time, Bytes jpeg);
  // `state`: it holds all that an earlier one of this camera said, which goes if it still waits.
  void text(const std::string &camera, double time, Bytes json, bool state = false);
  void close();

  // The next part of the stream, after waiting as long as `wait`; null when nothing came. `ended` once it is
  // closed and all text is out.
  Bytes next(std::chrono::milliseconds wait, bool &ended);
  std::uint64_t dropped() const;

 private:
  struct Record {
    bool is_picture = false, is_state = false;
    std::string camera;
    View view = View::plain;
    Bytes head, payload;
  };
  std::deque<Record>::iterator oldest_picture();
  void drop(std::deque<Record>::iterator);
  static constexpr std::size_t most_text = 4096, most_pictures = 256, most_bytes = 8 << 20;
  mutable std::mutex lock_;
  std::condition_variable more_;
  std::deque<Record> records_;
  std::size_t texts_ = 0, pictures_ = 0, bytes_ = 0;
  Bytes payload_; // of the record whose head is out
  bool closed_ = false;
  std::uint64_t dropped_ = 0;
};

} // namespace vigil::monitor
