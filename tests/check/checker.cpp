// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/check/checker.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace vigil::check {
namespace {

std::vector<Case> &registered() {
  static std::vector<Case> all;
  return all;
}

std::uint64_t mix(std::uint64_t seed, const std::string &name) {
  for (const char c : name) seed = (seed ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  return seed;
}

} // namespace

Register::Register(Case c) {
  registered().push_back(c);
}
const std::vector<Case> &cases() {
  return registered();
}

Checker::Checker(Device &d, std::uint64_t seed, std::string test, bool bench, std::vector<Timing> &timings)
    : device(d), rng(mix(seed, test)), test_(std::move(test)), bench_(bench), timings_(timings),
      queue_(d.make_queue()) {}

std::vector<std::uint8_t> Checker::noise(std::size_t bytes) {
  std::vector<std::uint8_t> v(bytes);
  for (std::size_t i = 0; i < bytes;) {
    const auto kind = rng() % 8;
    const auto flat = static_cast<std::uint8_t>(rng());
    for (auto n = 1 + rng() % 64; n > 0 && i < bytes; n--, i++)
      v[i] = kind == 0 ? 0 : kind == 1 ? 255 : kind == 2 ? flat : static_cast<std::uint8_t>(rng());
  }
  return v;
}

void Checker::fail(const std::string &what) {
  if (failures++ < 8) std::printf("    %s: %s\n", test_.c_str(), what.c_str());
}

void Checker::same_pixels(const std::string &what, Plane<const std::uint8_t> want,
                          Plane<const std::uint8_t> got, double fraction) {
  std::int64_t different = 0;
  std::string first;
  for (int y = 0; y < want.height; y++)
    for (int x = 0; x < want.width; x++)
      if (want.row(y)[x] != got.row(y)[x] && different++ == 0)
        first = text(" (first at ", x, ",", y, ": ", int(got.row(y)[x]), ", not ", int(want.row(y)[x]), ")");
  const double share = double(different) / (double(want.width) * want.height);
  if (share > fraction)
    fail(text(what, ": ", different, " of ", want.width, "x", want.height, " pixels differ, ", fraction * 100,
              " % may", first));
}

void Checker::near_pixels(const std::string &what, Plane<const std::uint8_t> want,
                          Plane<const std::uint8_t> got, int limit) {
  for (int y = 0; y < want.height; y++)
    for (int x = 0; x < want.width; x++)
      if (std::abs(want.row(y)[x] - got.row(y)[x]) > limit)
        return fail(text(what, ": at ", x, ",", y, " is ", int(got.row(y)[x]), ", not within ", limit, " of ",
                         int(want.row(y)[x])));
}

void Checker::near_vectors(const std::string &what, const std::vector<float> &want,
                           const std::vector<float> &got, double limit) {
  if (want.size() != got.size()) return fail(text(what, ": ", got.size(), " values, not ", want.size()));
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < want.size(); i++) {
    error += (double(want[i]) - got[i]) * (double(want[i]) - got[i]);
    norm += double(want[i]) * want[i];
  }
  const double relative = norm > 0 ? std::sqrt(error / norm) : std::sqrt(error);
  if (!(relative <= limit)) fail(text(what, ": relative error ", relative, ", ", limit, " allowed"));
}

void Checker::time(const std::string &label, double pixels, const std::function<void()> &call,
                   const std::function<void()> &setup, int calls) {
  if (!bench_) return;
  const auto timer = device.make_timer();
  std::vector<double> ms;
  double spent = 0;
  const auto once = [&] {
    if (setup) setup();
    timer->start(queue());
    for (int i = 0; i < calls; i++) call();
    timer->stop(queue());
    queue().wait();
    return timer->milliseconds() / calls;
  };
  for (int i = 0; i < 3; i++) once();
  while (ms.size() < 15 || (spent < 400 && ms.size() < 1000)) {
    ms.push_back(once());
    spent += ms.back() * calls;
  }
  std::sort(ms.begin(), ms.end());
  const Timing t{test_,
                 name_of(device.backend()),
                 label,
                 ms[ms.size() / 2],
                 ms[ms.size() / 4],
                 ms[ms.size() * 3 / 4],
                 pixels,
                 int(ms.size())};
  std::printf("    %-44s %9.4f ms  (%.4f..%.4f)  %8.1f Mpixel/s\n", label.c_str(), t.median_ms, t.low_ms,
              t.high_ms, pixels / t.median_ms / 1e3);
  std::fflush(stdout);
  timings_.push_back(t);
}

Picture::Picture(Checker &c, PixelFormat format, int width, int height, int padding)
    : checker_(c), format_(format), width_(width), height_(height) {
  std::ptrdiff_t total = 0;
  for (int i = 0; i < plane_count(format); i++) {
    stride_[i] = row_bytes(format, i, width) + padding;
    offset_[i] = total;
    total += stride_[i] * plane_rows(i, height);
    if (padding == 0) total = (total + 255) / 256 * 256;
  }
  bytes.resize(total);
  memory_ = DeviceBuffer(c.device, total);
}
Image Picture::at(std::uint8_t *base) const {
  Image image{format_, width_, height_, {}, {}};
  for (int i = 0; i < plane_count(format_); i++) {
    image.data[i] = base + offset_[i];
    image.stride[i] = stride_[i];
  }
  return image;
}
Image Picture::host() {
  return at(bytes.data());
}
Image Picture::device() {
  return at(memory_.as<std::uint8_t>());
}
void Picture::send() {
  checker_.device.upload(memory_.as(), bytes.data(), bytes.size(), checker_.queue());
}
void Picture::fetch() {
  checker_.device.download(bytes.data(), memory_.as(), bytes.size(), checker_.queue());
  checker_.queue().wait();
}

} // namespace vigil::check
