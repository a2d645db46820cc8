// SPDX-License-Identifier: LGPL-2.1-or-later
#include "frames.h"

#include <algorithm>
#include <utility>

namespace vigil::monitor {

std::string record_head(char type, const std::string &camera, View view, bool motion, std::size_t payload,
                        double time) {
  std::string out;
  const auto big_endian = [&](std::uint64_t v, int bytes) {
    while (bytes--) out += static_cast<char>(v >> (8 * bytes) & 0xff);
  };
  out += type;
  big_endian(camera.size(), 1);
  big_endian(static_cast<std::uint64_t>(view), 1);
  big_endian(motion ? 1 : 0, 1);
  big_endian(payload, 4);
  big_endian(static_cast<std::uint64_t>(std::max(0.0, time) * 1e6), 8);
  return out + camera;
}

std::deque<ViewerQueue::Record>::iterator ViewerQueue::oldest_picture() {
  return std::find_if(records_.begin(), records_.end(), [](const Record &r) { return r.is_picture; });
}

void ViewerQueue::drop(std::deque<Record>::iterator r) {
  bytes_ -= r->payload->size();
  (r->is_picture ? pictures_ : texts_)--;
  if (r->is_picture) dropped_++;
  records_.erase(r);
}

void ViewerQueue::picture(const std::string &camera, View view, bool motion, double time, Bytes jpeg) {
  auto head = std::make_shared<const std::string>(record_head('J', camera, view, motion, jpeg->size(), time));
  const std::lock_guard guard(lock_);
  if (closed_) return;
  const auto old = std::find_if(records_.begin(), records_.end(), [&](const Record &r) {
    return r.is_picture && r.camera == camera && r.view == view;
  });
  if (old != records_.end()) drop(old);
  while (pictures_ && (pictures_ >= most_pictures || bytes_ + jpeg->size() > most_bytes))
    drop(oldest_picture());
  if (bytes_ + jpeg->size() > most_bytes) { // texts wait, and none of them may be left out
    dropped_++;
    return;
  }
  bytes_ += jpeg->size();
  pictures_++;
  records_.push_back({true, false, camera, view, std::move(head), std::move(jpeg)});
  more_.notify_one();
}

void ViewerQueue::text(const std::string &camera, double time, Bytes json, bool state) {
  auto head =
      std::make_shared<const std::string>(record_head('E', camera, View::plain, false, json->size(), time));
  const std::lock_guard guard(lock_);
  if (closed_) return;
  if (state) {
    const auto old = std::find_if(records_.begin(), records_.end(),
                                  [&](const Record &r) { return r.is_state && r.camera == camera; });
    if (old != records_.end()) drop(old);
  }
  while (pictures_ && bytes_ + json->size() > most_bytes) drop(oldest_picture());
  if (texts_ >= most_text || bytes_ + json->size() > most_bytes) {
    closed_ = true;
    records_.clear();
    texts_ = pictures_ = bytes_ = 0;
  } else {
    bytes_ += json->size();
    texts_++;
    records_.push_back({false, state, camera, View::plain, std::move(head), std::move(json)});
  }
  more_.notify_one();
}

void ViewerQueue::close() {
  const std::lock_guard guard(lock_);
  closed_ = true;
  more_.notify_all();
}

Bytes ViewerQueue::next(std::chrono::milliseconds wait, bool &ended) {
  std::unique_lock guard(lock_);
  ended = false;
  if (payload_) return std::exchange(payload_, nullptr);
  more_.wait_for(guard, wait, [&] { return closed_ || !records_.empty(); });
  if (records_.empty()) {
    ended = closed_;
    return nullptr;
  }
  Record r = std::move(records_.front());
  records_.pop_front();
  (r.is_picture ? pictures_ : texts_)--;
  bytes_ -= r.payload->size();
  payload_ = std::move(r.payload);
  return r.head;
}

std::uint64_t ViewerQueue::dropped() const {
  const std::lock_guard guard(lock_);
  return dropped_;
}

} // namespace vigil::monitor
