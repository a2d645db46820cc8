// SPDX-License-Identifier: LGPL-2.1-or-later
// Trials of kernels of the user's: what their process does.
#include "common/error.h"
#include "kernels/filter/user.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <random>
#include <unistd.h>

namespace vigil::filter {
namespace {

constexpr const char *running = "it takes longer than 5 seconds: it may never end\n";
static_assert(trial_seconds == 5);

const char *words_at_the_end = "";
int status_at_the_end = 1;
void end_of_time(int) {
  // Nothing else is allowed in a handler.
  [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, words_at_the_end, std::strlen(words_at_the_end));
  _exit(status_at_the_end);
}

// Memory with one picture in it, and guards before, after, left and right of it.
class Guarded {
 public:
  Guarded(ClDevice &d, PixelFormat format, int width, int height, int run)
      : device_(d), format_(format), width_(width), height_(height), guard_(guards[run]) {
    row_ = std::size_t(vigil::row_bytes(format, 0, width));
    stride_ = row_ + 8 * std::size_t(run + 1); // another place in memory for each run
    begin_ = std::max<std::size_t>(65536, 16 * stride_) + 64 * std::size_t(run);
    bytes.assign(begin_ + stride_ * std::size_t(height) + begin_, guard_);
    memory_ = DeviceBuffer(d, bytes.size());
  }
  std::uint8_t *row(int y) { return bytes.data() + begin_ + stride_ * std::size_t(y); }
  std::size_t row_bytes() const { return row_; }
  Image image() {
    return {format_, width_, height_, {memory_.as<std::uint8_t>() + begin_}, {std::ptrdiff_t(stride_)}};
  }
  void send(Queue &q) { device_.upload(memory_.as(), bytes.data(), bytes.size(), q); }
  void fetch(Queue &q) {
    device_.download(bytes.data(), memory_.as(), bytes.size(), q);
    q.wait();
  }
  // Where a guard has changed, in words; empty where none has.
  std::string damage() {
    const auto changed = [&](const std::uint8_t *from, const std::uint8_t *to) {
      return std::find_if(from, to, [&](std::uint8_t b) { return b != guard_; });
    };
    const std::uint8_t *const end = bytes.data() + bytes.size(), *const behind = row(height_);
    if (const auto *p = changed(bytes.data(), row(0)); p != row(0))
      return text(row(0) - p, " bytes before it");
    for (int y = 0; y < height_; y++)
      if (const auto *p = changed(row(y) + row_, row(y + 1)); p != row(y + 1))
        return text(p - row(y) - std::ptrdiff_t(row_), " bytes behind the end of row ", y);
    if (const auto *p = changed(behind, end); p != end) return text(p - behind, " bytes behind its last row");
    return {};
  }
  std::vector<std::uint8_t> bytes; // in host memory, guards and all

  static constexpr int runs = 3;

 private:
  static constexpr std::uint8_t guards[runs] = {0, 255, 90};
  ClDevice &device_;
  PixelFormat format_;
  int width_, height_;
  std::uint8_t guard_;
  std::size_t row_, stride_, begin_;
  DeviceBuffer memory_;
};

// Runs the kernel on one picture. `first` keeps what comes out for the runs after run 0, which must give the
// same; null: any result will do.
void try_on(ClDevice &d, ClUserKernel &kernel, int run, PixelFormat format, int width, int height,
            std::vector<std::uint8_t> *first, Queue &queue) {
  const std::string where = text(" (on a picture of ", width, "x", height, " pixels)");
  Guarded in(d, format, width, height, run), out(d, format, width, height, run);
  std::mt19937 rng(11);
  for (int y = 0; y < height; y++)
    std::generate_n(in.row(y), in.row_bytes(), [&] { return static_cast<std::uint8_t>(rng() >> 24); });
  const std::vector<std::uint8_t> sent = in.bytes;
  in.send(queue);
  out.send(queue);
  kernel.apply(in.image(), out.image(), queue);
  in.fetch(queue);
  out.fetch(queue);
  using enum Error::Kind;
  if (const std::string place = out.damage(); !place.empty())
    fail(bad_setting, "it writes outside of the result, ", place, where);
  if (const std::string place = in.damage(); !place.empty())
    fail(bad_setting, "it writes outside of the picture that it reads, ", place, where);
  if (in.bytes != sent) fail(bad_setting, "it changes the picture that it reads", where);
  if (!first) return;
  std::vector<std::uint8_t> result;
  for (int y = 0; y < height; y++) result.insert(result.end(), out.row(y), out.row(y) + out.row_bytes());
  if (run == 0) *first = result;
  const auto at = std::mismatch(first->begin(), first->end(), result.begin()).first;
  if (at != first->end()) {
    const auto i = std::size_t(at - first->begin());
    fail(bad_setting, "its result changes from run to run: byte ", i % in.row_bytes(), " of row ",
         i / in.row_bytes(), " was ", int(*at), " and is now ", int(result[i]), where,
         ". What is outside of the picture, addresses and the shape of work-groups differ between runs");
  }
}

} // namespace

void limit_trial(unsigned seconds, const char *words, int status) {
  alarm(0);
  words_at_the_end = words;
  status_at_the_end = status;
  std::signal(SIGALRM, end_of_time);
  alarm(seconds);
}

void run_trial(ClDevice &d, const std::string &name, const std::string &program, PixelFormat format,
               int width, int height, const std::array<float, 4> &numbers, TrialFor what) {
  constexpr ClRange2 groups[Guarded::runs] = {{0, 0}, {8, 4}, {16, 1}};
  std::vector<ClUserKernel> kernels;
  const auto queue = d.make_queue();
  for (const ClRange2 &group : groups) {
    kernels.emplace_back(d, name, program, format, numbers, group);
    kernels.back().warm(*queue);
  }
  queue->wait();
  limit_trial(unsigned(trial_seconds), running);
  const int sizes[][2] = {{1, 1}, {7, 5}, {trial_width, trial_height}, {width, height}};
  for (const auto &[w, h] : sizes) {
    std::vector<std::uint8_t> first;
    if (what == TrialFor::harm && w == width && h == height) limit_trial(unsigned(trial_seconds), "", 0);
    for (int run = 0; run < Guarded::runs; run++) try {
        try_on(d, kernels[std::size_t(run)], run, format, w, h, what == TrialFor::all ? &first : nullptr,
               *queue);
      } catch (const Error &e) {
        if (e.kind() != Error::Kind::device) throw;
        fail(Error::Kind::bad_setting,
             "it broke its trial down, as by reading or writing outside of the picture: ", e.what());
      }
  }
  limit_trial(0, "");
}

} // namespace vigil::filter
