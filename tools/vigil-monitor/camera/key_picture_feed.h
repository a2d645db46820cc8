// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures for viewers of a camera that is not analysed (key_pictures.h), over all connections. For the main
// thread.
#pragma once

#include "camera_pipeline.h"
#include "key_pictures.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace vigil::monitor {

class KeyPictureFeed {
 public:
  // The next connection gives key frames of the stream that it stores.
  void connect(PipelineEvents &, std::shared_ptr<TilePlan>, KeyPictures::Calls);
  void connection_ends();

  void set_height(int height) { *height_ = height; } // of pictures, at most
  std::uint64_t decoded() const { return decoded_before_ + (pictures_ ? pictures_->decoded() : 0); }

 private:
  std::shared_ptr<KeyPictures> pictures_; // of this connection; null: the camera is analysed
  std::uint64_t decoded_before_ = 0;      // by the connections before
  const std::shared_ptr<std::atomic<int>> height_ = std::make_shared<std::atomic<int>>(0);
};

inline void KeyPictureFeed::connect(PipelineEvents &e, std::shared_ptr<TilePlan> plan,
                                    KeyPictures::Calls calls) {
  pictures_ = std::make_shared<KeyPictures>(std::move(plan), height_, std::move(calls));
  e.record_caps = [record = e.record_caps, keys = pictures_](GstCaps *caps) {
    record(caps);
    keys->caps(caps);
  };
  e.record_frame = [record = e.record_frame, keys = pictures_](GstBuffer *b, double time) {
    record(b, time);
    keys->frame(b, time);
  };
}

inline void KeyPictureFeed::connection_ends() {
  if (!pictures_) return;
  pictures_->close();
  decoded_before_ += pictures_->decoded();
  pictures_.reset();
}

} // namespace vigil::monitor
