// SPDX-License-Identifier: LGPL-2.1-or-later
#include "key_pictures.h"

#include "utc.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace vigil::monitor {

KeyPictures::KeyPictures(std::shared_ptr<TilePlan> plan, std::shared_ptr<const std::atomic<int>> height,
                         Calls calls)
    : plan_(std::move(plan)), height_(std::move(height)), calls_(std::move(calls)),
      decoder_([warning = calls_.warning](const std::string &why) {
        warning("viewers get no picture of its key frames, which are recorded all the same: " + why);
      }) {}

KeyPictures::~KeyPictures() {
  decoder_.rest(); // its thread uses what goes before it
}

void KeyPictures::caps(GstCaps *caps) {
  if (caps_ && gst_caps_is_equal(caps_.get(), caps)) return;
  caps_.reset(gst_caps_ref(caps));
  units_.begin(caps);
  key_.reset();
  decoder_.caps(caps);
}

void KeyPictures::frame(GstBuffer *part, double captured) {
  const gst::BufferPtr whole = units_.take(part, captured);
  if (!whole) return;
  if (!GST_BUFFER_FLAG_IS_SET(whole.get(), GST_BUFFER_FLAG_DELTA_UNIT)) {
    key_.reset(gst_buffer_ref(whole.get()));
    captured_ = captured;
    shown_ = false;
  }
  if (!key_) return;
  // The newest key frame is shown to viewers who come after it, and is not decoded before.
  const double now = Utc::monotonic_seconds();
  const bool once = plan_->take_once(View::plain);
  constexpr std::uint64_t no_time = UINT64_MAX;
  const bool due =
      !shown_ && plan_->frame(static_cast<std::int64_t>(now * 1e9), no_time, false) == View::plain;
  if (!shown_ && (once || due))
    decode(now);
  else if (once)
    repeat();
  constexpr double unwatched = 30; // seconds after which the decoder goes
  if (decoded_at_ > 0 && now - decoded_at_ > unwatched) {
    decoder_.rest();
    decoded_at_ = 0;
  }
}

void KeyPictures::decode(double now) {
  constexpr int least = 16, quality = 80;
  const auto [width, height] = decoder_.shown_size();
  const int lines = std::max(least, std::min(height_->load(), height) & ~1);
  const int columns =
      std::max(least, static_cast<int>(std::lround(static_cast<double>(width) * lines / height)) & ~1);
  shown_ = true;
  decoded_at_ = now;
  decoder_.make(key_.get(), {{columns, lines}, quality}, [this, captured = captured_](std::string_view jpeg) {
    ready(captured, std::make_shared<const std::string>(jpeg));
  });
}

void KeyPictures::ready(double captured, Bytes jpeg) {
  const std::lock_guard guard(delivery_);
  if (closed_) return;
  newest_ = std::move(jpeg);
  newest_captured_ = captured;
  calls_.picture(captured, newest_);
}

void KeyPictures::repeat() {
  const std::lock_guard guard(delivery_);
  if (!closed_ && newest_) calls_.picture(newest_captured_, newest_);
}

void KeyPictures::close() {
  const std::lock_guard guard(delivery_);
  closed_ = true;
}

} // namespace vigil::monitor
