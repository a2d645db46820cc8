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

void StreamObserver::Times::add(double t) {
  count++;
  first = std::min(first, t);
  last = std::max(last, t);
}

std::optional<double> StreamObserver::Times::distance() const {
  if (count < 2 || !(last > first)) return std::nullopt;
  return (last - first) / (count - 1);
}

void StreamObserver::frame(bool key, std::optional<double> decoded, double now) {
  const std::lock_guard guard(lock_);
  if (ended_ || (decoded && !std::isfinite(*decoded))) return;
  came_.add(now);
  if (key) keys_came_.add(now);
  if (decoded) {
    timed_.add(*decoded);
    if (key) timed_keys_.add(*decoded);
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
  return keys_came_.count > 0;
}

bool StreamObserver::enough(double now) const {
  constexpr int certain = 3; // key frames
  if (ended_) return true;
  if (came_.count == 0) return now - began_ >= longest_wait;
  const double looked = now - came_.first;
  if (looked >= longest_look) return true;
  const int keys = keys_came_.count;
  return found_.picture && (keys >= certain ? looked >= 1 : keys > 1 && looked >= with_two_key_frames);
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
  const bool timed = timed_.count > 1;
  const Times &frames = timed ? timed_ : came_, &keys = timed ? timed_keys_ : keys_came_;
  if (frames.count > 0) out.seconds = frames.last - frames.first;
  if (const auto distance = frames.distance()) out.fps = 1 / *distance;
  out.key_seconds = keys.distance();
  if (out.picture && came_.count > 1) {
    if (!out.why.empty()) out.warnings.push_back(std::exchange(out.why, ""));
  } else if (!explained_.empty()) {
    out.why = explained_;
  } else if (out.why.empty() && came_.count == 0) {
    out.why =
        text("something answers at this address, but no picture has come in ", longest_wait, " seconds");
  } else if (out.why.empty()) {
    out.warnings.push_back(
        keys_came_.count == 0
            ? text("no key frame has come in ", longest_look, " seconds, so there is no picture")
            : text("no picture could be decoded in ", longest_look, " seconds"));
  }
  return out;
}

} // namespace vigil::monitor
