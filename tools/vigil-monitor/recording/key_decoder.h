// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes JPEG pictures of single key frames of a stored stream, in a pipeline apart from the camera's: a
// stream that cannot be decoded is recorded all the same. One that comes while others wait is left out.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace vigil::monitor {

class KeyDecoder {
 public:
  struct Size {
    int width = 0, height = 0;
    bool operator==(const Size &) const = default;
  };
  struct Form {
    Size size;
    int quality = 0;
    bool operator==(const Form &) const = default;
  };
  using Ready = std::function<void(std::string_view jpeg)>; // on the decoder's thread
  // `warning`: once, where the stream gives no pictures. On streaming threads.
  explicit KeyDecoder(std::function<void(const std::string &why)> warning);
  ~KeyDecoder();
  KeyDecoder(const KeyDecoder &) = delete;
  KeyDecoder &operator=(const KeyDecoder &) = delete;

  // From streaming threads, of which an old one may end after a new one has begun: caps before the frames
  // that they are of.
  void caps(const GstCaps *);
  // How large the stream's pictures are in square pixels; 16x9 where its caps do not say it.
  Size shown_size() const;
  // The picture comes at once, although no other frame follows. False: it is left out.
  bool make(GstBuffer *key, const Form &, Ready);
  void rest(); // frees what the next make() builds again

  std::uint64_t decoded() const { return decoded_; } // frames that went to the decoder; from any thread

 private:
  class Line; // a pipeline
  void broke(const std::string &why);

  const std::function<void(const std::string &)> warning_;
  mutable std::mutex use_; // of streaming threads, for the next four
  std::unique_ptr<Line> line_;
  GstCaps *caps_ = nullptr;
  double retry_at_ = 0; // monotonic
  bool said_ = false;
  std::atomic<std::uint64_t> decoded_ = 0;
};

} // namespace vigil::monitor
