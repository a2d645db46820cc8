// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stream_findings.h"

#include "common/error.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace vigil::monitor {

void StreamObserver::format(const std::string &codec, int width, int height) {
  const std::lock_guard guard(lock_);
  found_.codec = codec;
  if (width > 0 && height > 0) found_.width = width, found_.height = height;
}

void StreamObserver::frame(bool key, double decoded, double now) {
  const std::lock_guard guard(lock_);
  if (ended_ || !std::isfinite(decoded)) return;
  if (frames_++ == 0) first_at_ = now;
  first_ = std::min(first_, decoded);
  last_ = std::max(last_, decoded);
  if (key) {
    if (keys_++ == 0) first_key_ = decoded;
    last_key_ = decoded;
  }
  changed_.notify_all();
}

void StreamObserver::sound(const std::string &codec) {
  const std::lock_guard guard(lock_);
  found_.sound = codec;
}

void StreamObserver::picture(std::shared_ptr<const std::string> jpeg) {
  const std::lock_guard guard(lock_);
  if (!found_.picture) found_.picture = std::move(jpeg);
  changed_.notify_all();
}

void StreamObserver::warning(const std::string &words) {
  constexpr std::size_t most = 8;
  const std::lock_guard guard(lock_);
  auto &all = found_.warnings;
  if (all.size() < most && std::find(all.begin(), all.end(), words) == all.end()) all.push_back(words);
}

void StreamObserver::ended(const std::string &why) {
  const std::lock_guard guard(lock_);
  if (ended_) return;
  ended_ = true;
  found_.why = why;
  changed_.notify_all();
}

void StreamObserver::explain(const std::string &why) {
  const std::lock_guard guard(lock_);
  if (explained_.empty()) explained_ = why;
}

bool StreamObserver::has_picture() const {
  const std::lock_guard guard(lock_);
  return found_.picture != nullptr;
}

bool StreamObserver::begun() const {
  const std::lock_guard guard(lock_);
  return keys_ > 0;
}

bool StreamObserver::enough(double now) const {
  constexpr int certain = 3; // key frames
  if (ended_) return true;
  if (frames_ == 0) return now - began_ >= longest_wait;
  const double looked = now - first_at_;
  if (looked >= longest_look) return true;
  return found_.picture && (keys_ >= certain ? looked >= 1 : keys_ > 1 && looked >= with_two_key_frames);
}

StreamFindings StreamObserver::wait(const std::function<double()> &clock, const std::function<bool()> &stop) {
  constexpr std::chrono::milliseconds often(100);
  std::unique_lock guard(lock_);
  while (!enough(clock()) && !stop()) changed_.wait_for(guard, often);
  ended_ = true;
  guard.unlock();
  return findings();
}

StreamFindings StreamObserver::findings() const {
  const std::lock_guard guard(lock_);
  StreamFindings out = found_;
  if (frames_ > 0) out.seconds = last_ - first_;
  if (frames_ > 1 && last_ > first_) out.fps = (frames_ - 1) / (last_ - first_);
  if (keys_ > 1 && last_key_ > first_key_) out.key_seconds = (last_key_ - first_key_) / (keys_ - 1);
  if (out.picture && frames_ > 1) {
    if (!out.why.empty()) out.warnings.push_back(std::exchange(out.why, ""));
  } else if (!explained_.empty()) {
    out.why = explained_;
  } else if (out.why.empty() && frames_ == 0) {
    out.why =
        text("something answers at this address, but no picture has come in ", longest_wait, " seconds");
  } else if (out.why.empty()) {
    out.warnings.push_back(
        keys_ == 0 ? text("no key frame has come in ", longest_look, " seconds, so there is no picture")
                   : text("no picture could be decoded in ", longest_look, " seconds"));
  }
  return out;
}

} // namespace vigil::monitor
