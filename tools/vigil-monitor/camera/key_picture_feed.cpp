// SPDX-License-Identifier: LGPL-2.1-or-later
#include "key_picture_feed.h"

#include <utility>

namespace vigil::monitor {

void KeyPictureFeed::connect(PipelineEvents &e, std::shared_ptr<TilePlan> plan, KeyPictures::Calls calls) {
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

void KeyPictureFeed::connection_ends() {
  if (!pictures_) return;
  pictures_->close();
  decoded_before_ += pictures_->decoded();
  pictures_.reset();
}

} // namespace vigil::monitor
