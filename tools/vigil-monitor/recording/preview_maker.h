// SPDX-License-Identifier: LGPL-2.1-or-later
// Small pictures of a stream's key frames. Only key frames are decoded, one every two seconds at most; one
// that comes while others wait is left out.
#pragma once

#include "../camera/access_units.h"

#include <cstdint>
#include <functional>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace vigil::monitor {

struct KeyPicture {
  BufferPtr buffer;
  std::string segment;
  std::int64_t at = 0; // microseconds after the segment's start
};

class PreviewMaker {
 public:
  static constexpr std::int64_t least_apart = 2'000'000; // microseconds
  static constexpr int width = 160;

  struct Calls { // on any thread
    std::function<void(const std::string &segment, std::int64_t at, const std::string &jpeg)> ready;
    std::function<void(const std::string &text)> warning;
  };
  explicit PreviewMaker(Calls);
  ~PreviewMaker();
  PreviewMaker(const PreviewMaker &) = delete;
  PreviewMaker &operator=(const PreviewMaker &) = delete;

  // From streaming threads, of which an old one may end after a new one has begun: caps before the pictures
  // that they are of.
  void caps(const GstCaps *);
  void add(const KeyPicture &);

 private:
  struct Decoder; // a pipeline
  struct Place {
    std::string segment;
    std::int64_t at;
    double since; // monotonic
  };
  static GstFlowReturn on_picture(GstAppSink *, void *self);
  void take(GstSample *);
  void broke(const std::string &why);

  const Calls calls_;
  std::mutex use_; // of streaming threads, for the next four
  std::unique_ptr<Decoder> decoder_;
  GstCaps *caps_ = nullptr;
  double retry_at_ = 0; // monotonic
  bool said_ = false;
  std::mutex lock_;                        // of the decoder's thread, too, for the next two
  std::map<std::uint64_t, Place> waiting_; // by number, which is the picture's time in seconds
  std::uint64_t number_ = 0;
};

} // namespace vigil::monitor
