// SPDX-License-Identifier: LGPL-2.1-or-later
// A stream as it is seen before it becomes a camera's.
#pragma once

#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

struct StreamFindings {
  std::string why;   // why it cannot be opened; empty: it can
  std::string codec; // h264, h265, jpeg, ...; raw: not compressed
  int width = 0, height = 0;
  double seconds = 0;                // from the first frame to the last one
  std::optional<double> fps;         // without it: fewer than two frames came
  std::optional<double> key_seconds; // between key frames; without it: fewer than two came
  std::string sound;                 // opus, aac, pcma, pcmu; empty: none that is used
  std::vector<std::string> warnings;
  std::shared_ptr<const std::string> picture; // JPEG
};

// Collects them while the stream plays. On any thread.
class StreamObserver {
 public:
  static constexpr double longest_wait = 8;                          // seconds, for the first frame
  static constexpr double longest_look = 8, with_two_key_frames = 4; // after that

  explicit StreamObserver(double now) : began_(now) {}

  void format(const std::string &codec, int width, int height); // sizes of 0 are not known
  // `decoded`: seconds of the stream; none: the frame has no time, and does not count for rates where others
  // have one.
  void frame(bool key, std::optional<double> decoded, double now);
  void sound(const std::string &codec);
  void picture(std::shared_ptr<const std::string> jpeg);
  void warning(const std::string &);
  void ended(const std::string &why); // nothing more comes
  // Further words for the case that it cannot be opened; they take the place of others.
  void explain(const std::string &why);

  bool has_picture() const;
  bool begun() const; // with a key frame
  // Until enough is known, or `stop` says so. `clock`: the time, as in frame().
  StreamFindings wait(const std::function<double()> &clock, const std::function<bool()> &stop);
  StreamFindings findings() const;

 private:
  struct Times {
    int count = 0;
    double first = std::numeric_limits<double>::infinity(), last = -first;
    void add(double);
    std::optional<double> distance() const; // of two that follow each other; none: fewer than two came
  };

  bool enough(double now) const; // with the lock held

  const double began_;
  mutable std::mutex lock_;
  std::condition_variable changed_;
  StreamFindings found_;
  std::string explained_;
  bool ended_ = false;
  Times came_, keys_came_;   // by `now`
  Times timed_, timed_keys_; // by the stream: another clock
};

} // namespace vigil::monitor
