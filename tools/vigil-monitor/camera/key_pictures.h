// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures for viewers of a camera that is not analysed: of the key frames of its stored stream, which are
// decoded while somebody watches.
#pragma once

#include "../http/frames.h"
#include "../recording/key_decoder.h"
#include "access_units.h"
#include "gst/video/gst_ptr.h"
#include "tiles.h"

#include <atomic>
#include <functional>
#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <string>

namespace vigil::monitor {

class KeyPictures {
 public:
  struct Calls {                                              // on any thread
    std::function<void(double captured, Bytes jpeg)> picture; // by the monotonic clock
    std::function<void(const std::string &text)> warning;
  };
  // `height`: of the pictures, at most; it may change.
  KeyPictures(std::shared_ptr<TilePlan>, std::shared_ptr<const std::atomic<int>> height, Calls);

  ~KeyPictures();
  KeyPictures(const KeyPictures &) = delete;
  KeyPictures &operator=(const KeyPictures &) = delete;

  // From the streaming thread: the stream as it is stored.
  void caps(GstCaps *);
  void frame(GstBuffer *, double captured);
  void close(); // nothing is called any more once this returns
  std::uint64_t decoded() const { return decoder_.decoded(); }

 private:
  void decode(double now);
  void ready(double captured, Bytes);
  void repeat(); // the newest picture, for a viewer who asks now

  const std::shared_ptr<TilePlan> plan_;
  const std::shared_ptr<const std::atomic<int>> height_;
  const Calls calls_;
  KeyDecoder decoder_;
  gst::CapsPtr caps_; // the streaming thread's, as the next five
  AccessUnits units_;
  gst::BufferPtr key_; // the newest; null: none has come
  double captured_ = 0, decoded_at_ = 0;
  bool shown_ = false; // the newest went to the decoder
  std::mutex delivery_;
  bool closed_ = false; // under delivery_, as the next two
  Bytes newest_;        // null: none has been made
  double newest_captured_ = 0;
};

} // namespace vigil::monitor
