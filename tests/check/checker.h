// SPDX-License-Identifier: LGPL-2.1-or-later
// gpucheck: every backend of every kernel against its reference on random input; the same binary times them.
#pragma once

#include "common/device.h"
#include "common/error.h"
#include "common/plane.h"

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace vigil::check {

struct Timing {
  std::string test, backend, label;
  double median_ms, low_ms, high_ms; // quartiles are low and high
  double pixels;                     // a call
  int runs;
};

// What one case gets to work with: a device, random numbers that depend on the seed and the case alone, and a
// place to say what is wrong. Random pictures hold runs of equal values, 0 and 255 among them, as real ones
// do.
class Checker {
 public:
  Checker(Device &device, std::uint64_t seed, std::string test, bool bench, std::vector<Timing> &timings);

  Device &device;
  std::mt19937_64 rng;
  Queue &queue() { return *queue_; }
  bool benching() const { return bench_; }

  std::vector<std::uint8_t> noise(std::size_t bytes);

  // Records a failure and prints it.
  void fail(const std::string &what);
  // Fails with the text unless the condition holds.
  void expect(bool condition, const std::string &what) {
    if (!condition) fail(what);
  }
  // Fails unless the call throws an Error of this kind.
  template <class Call>
  void refused(const std::string &what, Call call, Error::Kind kind = Error::Kind::bad_setting) {
    try {
      call();
      fail(what + " was not refused");
    } catch (const Error &e) {
      expect(e.kind() == kind, what + ": " + e.what());
    }
  }
  // At most `fraction` of the pixels may differ; prints the first that does. Host memory.
  void same_pixels(const std::string &what, Plane<const std::uint8_t> want, Plane<const std::uint8_t> got,
                   double fraction);
  // No pixel may differ by more than `limit`.
  void near_pixels(const std::string &what, Plane<const std::uint8_t> want, Plane<const std::uint8_t> got,
                   int limit);
  // |want - got| / |want| <= limit, in Euclid's norm; absolute where want is all zero.
  void near_vectors(const std::string &what, const std::vector<float> &want, const std::vector<float> &got,
                    double limit);

  // Times a call that submits work to queue(), by the device's own clock. Only with --bench. `setup` runs
  // before each measurement, outside the measured time. Calls that take a few microseconds are made `calls`
  // times for each measurement, which is then divided, so that the time to submit them does not show.
  void time(const std::string &label, double pixels, const std::function<void()> &call,
            const std::function<void()> &setup = {}, int calls = 1);

  int failures = 0;

 private:
  std::string test_;
  bool bench_;
  std::vector<Timing> &timings_;
  std::unique_ptr<Queue> queue_;
};

// A frame in both memories: fill `host`, send() it, let kernels write `device_data`, then fetch() and look.
class Picture {
 public:
  // Rows are `padding` bytes longer than they need be.
  Picture(Checker &, PixelFormat, int width, int height, int padding = 0);
  Image host();   // in host memory
  Image device(); // in the device's memory
  void send();
  void fetch();
  std::vector<std::uint8_t> bytes; // the host's memory, all planes

 private:
  Image at(std::uint8_t *) const;
  Checker &checker_;
  PixelFormat format_;
  int width_, height_;
  std::ptrdiff_t stride_[3] = {};
  std::ptrdiff_t offset_[3] = {};
  DeviceBuffer memory_;
};

struct Case {
  const char *name;       // "mog", "mog/windowed": the part before the slash is the algorithm
  void (*run)(Checker &); // a case that has nothing to do on a backend throws Skip
  std::vector<Backend> backends = {Backend::cpu, Backend::cuda}; // those that the algorithm is made for
};
struct Skip {
  std::string why;
};
struct Register {
  explicit Register(Case);
};
const std::vector<Case> &cases();

} // namespace vigil::check
