// SPDX-License-Identifier: LGPL-2.1-or-later
// Small pictures of a stream's key frames. Only key frames are decoded, one every two seconds at most.
#pragma once

#include "../camera/access_units.h"
#include "key_decoder.h"

#include <cstdint>
#include <functional>
#include <gst/gst.h>
#include <string>

namespace vigil::monitor {

struct KeyPicture {
  gst::BufferPtr buffer;
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

  void caps(const GstCaps *caps) { decoder_.caps(caps); } // as KeyDecoder's
  void add(const KeyPicture &);
  std::uint64_t decoded() const { return decoder_.decoded(); }

 private:
  const Calls calls_;
  KeyDecoder decoder_;
};

} // namespace vigil::monitor
