// SPDX-License-Identifier: LGPL-2.1-or-later
// The reference and the backends for the CPU, CUDA and OpenGL against exposure.bin, which a program of
// numpy made that shares no line with them (make_exposure.py describes the file). Tolerances: the reference
// works in double precision and stores float; the others work in single precision, where a sample on the
// edge of what agrees may fall on the other side. Pictures may differ by one level, since the kernels map
// with integers. Usage: golden-exposure FILE
#include "kernels/exposure/exposure.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/golden_main.h"
#include "tests/golden/on_device.h"

#include "common/bytes.h"
#include "common/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace vigil::exposure {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Numbers {
  double gain, offset, agreeing, weight, left[2];
};
struct Frame {
  Bytes bytes, seen;
  std::vector<Numbers> lines;
};
struct Case {
  std::string name;
  PixelFormat format;
  int width, height, channels;
  Bytes background;
  std::vector<Frame> frames;
};
struct Tolerance {
  double gain, offset, share, left; // share: of agreeing and weight
  int level;
};
constexpr Tolerance in_double{1e-6, 1e-5, 1e-6, 1e-5, 1}, in_single{5e-4, 0.05, 0.005, 0.01, 1};

// Planes without padding.
template <class Picture, class Byte>
Picture picture(const Case &c, Byte *bytes) {
  Picture p{c.format, c.width, c.height, {}, {}};
  for (int i = 0; i < plane_count(c.format); i++) {
    p.data[i] = bytes;
    p.stride[i] = row_bytes(c.format, i, c.width);
    bytes += p.stride[i] * plane_rows(i, c.height);
  }
  return p;
}
std::size_t bytes_of(const Case &c) {
  std::size_t n = 0;
  for (int i = 0; i < plane_count(c.format); i++)
    n += std::size_t(row_bytes(c.format, i, c.width)) * std::size_t(plane_rows(i, c.height));
  return n;
}

std::vector<Case> read(const char *path) {
  test::GoldenFile file(path);
  std::vector<Case> cases;
  file.each_line([&](const std::string &, std::istringstream &line) {
    Case c{};
    std::string format;
    std::size_t frames = 0;
    line >> c.name >> format >> c.width >> c.height >> c.channels >> frames;
    if (format != "GRAY8" && format != "RGBA" && format != "I420")
      fail(Error::Kind::bad_data, path, ": the format ", format, " is none of GRAY8, RGBA and I420");
    c.format = format == "GRAY8"  ? PixelFormat::gray8
               : format == "RGBA" ? PixelFormat::rgba
                                  : PixelFormat::i420;
    c.frames.resize(frames);
    cases.push_back(std::move(c));
  });
  for (Case &c : cases) {
    c.background = file.take(bytes_of(c));
    for (Frame &f : c.frames) {
      f.bytes = file.take(bytes_of(c));
      f.seen = file.take(bytes_of(c));
      const Bytes numbers = file.take(std::size_t(c.channels) * sizeof(Numbers));
      ByteReader in(numbers, 0);
      for (int k = 0; k < c.channels; k++) {
        Numbers n{};
        for (double *v : {&n.gain, &n.offset, &n.agreeing, &n.weight, &n.left[0], &n.left[1]})
          *v = in.real64();
        f.lines.push_back(n);
      }
    }
  }
  return cases;
}

// The greatest differences of one backend in one case.
struct Apart {
  double gain = 0, offset = 0, share = 0, left = 0;
  int level = 0;
  void add(const Line &got, const Numbers &want) {
    gain = std::max(gain, std::abs(double(got.gain) - want.gain));
    offset = std::max(offset, std::abs(double(got.offset) - want.offset));
    share = std::max(
        {share, std::abs(double(got.agreeing) - want.agreeing), std::abs(double(got.weight) - want.weight)});
    for (int i = 0; i < 2; i++) left = std::max(left, std::abs(double(got.left[i]) - want.left[i]));
  }
  void add(const Bytes &got, const Bytes &want) {
    for (std::size_t i = 0; i < want.size(); i++) level = std::max(level, std::abs(got[i] - want[i]));
  }
  bool within(const Tolerance &t) const {
    return gain <= t.gain && offset <= t.offset && share <= t.share && left <= t.left && level <= t.level;
  }
};

// A picture of the case in the device's memory.
class Copy {
 public:
  Copy(Device &device, const Case &c) : device_(device), memory_(device, bytes_of(c)) {}
  std::uint8_t *data() const { return memory_.as<std::uint8_t>(); }
  void send(const Bytes &b, Queue &q) { device_.upload(data(), b.data(), b.size(), q); }

 private:
  Device &device_;
  DeviceBuffer memory_;
};

int replay(const char *name, Device &device, std::unique_ptr<Exposure> (*make_one)(Device &),
           const std::vector<Case> &cases, const Tolerance &tolerance) {
  const auto queue = device.make_queue();
  int failures = 0;
  for (const Case &c : cases) {
    const auto exposure = make_one(device);
    Copy background(device, c), frame(device, c), out(device, c);
    background.send(c.background, *queue);
    Apart apart;
    for (const Frame &f : c.frames) {
      frame.send(f.bytes, *queue);
      const ConstImage seen =
          exposure->apply(picture<ConstImage>(c, static_cast<const std::uint8_t *>(frame.data())),
                          picture<ConstImage>(c, static_cast<const std::uint8_t *>(background.data())),
                          c.channels, picture<Image>(c, out.data()), *queue);
      Lines lines;
      device.download(&lines, exposure->lines(), sizeof lines, *queue);
      Bytes got(f.seen.size());
      device.download(got.data(), seen.data[0], got.size(), *queue);
      queue->wait();
      apart.add(got, f.seen);
      for (int k = 0; k < c.channels; k++) apart.add(lines.channel[k], f.lines[std::size_t(k)]);
    }
    Tolerance allowed = tolerance;
    if (is_yuv(c.format) && c.channels == 3) allowed.level++; // clipped.h counts colours in 1/64
    const bool good = apart.within(allowed);
    failures += !good;
    std::printf("%s %-9s %-15s gain %.1e offset %.1e share %.1e left %.1e apart, pictures %d levels\n",
                good ? "ok  " : "FAIL", name, c.name.c_str(), apart.gain, apart.offset, apart.share,
                apart.left, apart.level);
  }
  return failures;
}

int run(const char *path) {
  const std::vector<Case> cases = read(path);
  if (cases.empty()) fail(Error::Kind::bad_data, path, " holds no case");
  const auto cpu = open_cpu();
  int failures = replay(
      "reference", *cpu, [](Device &) { return make_reference(); }, cases, in_double);
  failures += replay("cpu", *cpu, make_cpu, cases, in_single);
  try {
    const auto cuda = open_cuda();
    failures += replay("cuda", *cuda, make_cuda, cases, in_single);
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::no_device) throw;
    std::printf("without CUDA: %s\n", e.what());
  }
  test::where_there_is_gl([&](Device &gl) { failures += replay("gl", gl, make_gl, cases, in_single); });
  return failures ? 1 : 0;
}

} // namespace
} // namespace vigil::exposure

int main(int argc, char **argv) {
  return vigil::test::golden_main(argc, argv, vigil::exposure::run);
}
