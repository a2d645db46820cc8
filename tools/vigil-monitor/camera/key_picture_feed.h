// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures for viewers of a camera that is not analysed (key_pictures.h), over all connections. For the main
// thread.
#pragma once

#include "camera_pipeline.h"
#include "key_pictures.h"

#include <atomic>
#include <cstdint>
#include <memory>

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

} // namespace vigil::monitor
