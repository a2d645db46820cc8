// SPDX-License-Identifier: LGPL-2.1-or-later
// The product's list of stages in OpenGL compute shaders against the same list on the CPU, with the
// default settings: a scene that sways, changes its exposure, and has something that comes, stops and
// goes. In formats of one plane and of two.
#include "common/device.h"
#include "common/error.h"
#include "gst/cudamog/device_picture.h"
#include "gst/cudamog/stage_list.h"
#include "tests/stages/rig.h"
#include "tests/unit.h"

#include <cmath>
#include <cstdio>
#include <string>

namespace {

using namespace vigil;
using namespace vigil::test;

constexpr int frames = 240;

// What the camera sees: grey, as the planes of any format.
Picture scene(int t, std::mt19937 &random) {
  const int dx = t > 120 ? int(std::lround(3 * std::sin(0.3 * t))) : 0;
  const double gain = t > 60 && t < 110 ? 1.25 : 1;
  Picture p = ground(dx, 0, gain);
  if (t >= 90 && t < 200) {
    const int x = t < 150 ? 5 + (t - 90) * 3 / 2 : 95; // comes, and stops
    for (int row = 50; row < 80; row++)
      for (int i = x; i < x + 24; i++) p.at(i, row) = std::uint8_t((row / 5 + i / 6) % 2 ? 230 : 25);
  }
  for (auto &v : p.bytes) v = std::uint8_t(std::clamp(int(v) + int(random() % 5) - 2, 0, 255));
  return p;
}

// The list on one device, with a frame's memory there.
class Chain {
 public:
  Chain(Device &device, PixelFormat pixels)
      : device_(device), queue_(device.make_queue()), model_(device),
        list_(device, model_, make_stages(device, model_, detector_)),
        input_(device, pixels, width, height, 0), output_(device, PixelFormat::gray8, width, height, 0) {
    Format format;
    format.pixels = pixels;
    format.grid = cell_grid::grid_for(width, height);
    format.full_range = true;
    format.frame_seconds = 0.04;
    format.colours = exposure::colours_for(0.299, 0.114, true, false);
    model_.set_format(format);
    list_.set_format(format);
    frame_ = list_.make_frame();
  }
  void see(const Picture &p) {
    const Image in = input_.image();
    std::vector<std::uint8_t> row(std::size_t(4 * width));
    for (int i = 0; i < plane_count(in.format); i++)
      for (int y = 0; y < plane_rows(i, height); y++) {
        const auto bytes = std::size_t(row_bytes(in.format, i, width));
        for (std::size_t k = 0; k < bytes; k++) {
          const std::size_t x = in.format == PixelFormat::rgba ? k / 4 : k;
          row[k] = i > 0 ? 128 : p.bytes[std::size_t(y * width) + x];
        }
        device_.upload(in.plane(i).row(y), row.data(), bytes, *queue_);
        queue_->wait(); // `row` is used again
      }
    frame_->settings_number = 1;
    frame_->seconds = 0.04;
    frame_->input = in;
    frame_->output = output_.image();
    FrameContext *const one = frame_.get();
    list_.submit({&one, 1}, *queue_);
    list_.fetch(*frame_, *queue_);
    const Image out = output_.image();
    device_.download(mask.bytes.data(), width, out.data[0], out.stride[0], std::size_t(width), height,
                     *queue_);
    queue_->wait();
    list_.finish(*frame_, *queue_);
  }
  const FrameContext &frame() const { return *frame_; }
  Picture mask;

 private:
  Device &device_;
  std::unique_ptr<Queue> queue_;
  BackgroundModel model_;
  tamper::TamperDetector detector_;
  StageList list_;
  std::unique_ptr<FrameContext> frame_;
  DevicePicture input_, output_;
};

std::string show(const std::vector<BlobBox> &boxes) {
  std::string s;
  for (const BlobBox &b : boxes)
    s += text(" ", b.x, ",", b.y, " ", b.width, "x", b.height, " (", b.area, ")");
  return s.empty() ? " none" : s;
}

bool same(const std::vector<BlobBox> &a, const std::vector<BlobBox> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const BlobBox &x, const BlobBox &y) {
    return x.x == y.x && x.y == y.y && x.width == y.width && x.height == y.height && x.area == y.area &&
           x.ghost == y.ghost;
  });
}

void compare(Device &gl, PixelFormat pixels, const char *name) {
  const auto host = open_cpu(1);
  Chain want(*host, pixels), got(gl, pixels);
  std::mt19937 random(3);
  std::int64_t different = 0, all = 0, foreground = 0;
  int with_boxes = 0, other_boxes = 0, shifted = 0;
  for (int t = 0; t < frames; t++) {
    const Picture seen = scene(t, random);
    want.see(seen);
    got.see(seen);
    for (std::size_t i = 0; i < seen.bytes.size(); i++) {
      different += want.mask.bytes[i] != got.mask.bytes[i];
      foreground += got.mask.bytes[i] == 255;
    }
    all += std::int64_t(seen.bytes.size());
    const FrameContext &w = want.frame(), &g = got.frame();
    with_boxes += !w.detections.boxes.empty();
    if (!same(w.detections.boxes, g.detections.boxes) && other_boxes++ < 3)
      std::printf("%s, frame %d: boxes%s, on the CPU%s\n", name, t, show(g.detections.boxes).c_str(),
                  show(w.detections.boxes).c_str());
    shifted += w.report.shift.x != 0;
    expect(w.report.shift == g.report.shift,
           text(name, ", frame ", t, ": shift ", g.report.shift.x, ",", g.report.shift.y, ", not ",
                w.report.shift.x, ",", w.report.shift.y));
    expect(std::abs(w.report.exposure.gain - g.report.exposure.gain) < 0.01f,
           text(name, ", frame ", t, ": gain ", g.report.exposure.gain, ", not ", w.report.exposure.gain));
  }
  std::printf("%s: %lld of %lld pixels of the masks differ; boxes in %d frames, other ones in %d\n", name,
              (long long)different, (long long)all, with_boxes, other_boxes);
  expect(different * 10000 <= all, text(name, ": masks differ in more than 0.01 % of the pixels"));
  expect(other_boxes * 50 <= with_boxes, text(name, ": other boxes in ", other_boxes, " frames"));
  expect(with_boxes > 50 && shifted > 50 && foreground > 0, text(name, ": the scene shows too little"));
}

} // namespace

int main() {
  std::unique_ptr<Device> gl;
  try {
    gl = open_gl_es();
    std::printf("%s\n", gl->name().c_str());
  } catch (const Error &e) {
    std::printf("SKIPPED: %s\n", e.what());
    return vigil::test::skipped;
  }
  const std::vector<vigil::test::Case> cases = {
      {"gray8", [&] { compare(*gl, PixelFormat::gray8, "gray8"); }},
      {"nv12", [&] { compare(*gl, PixelFormat::nv12, "nv12"); }},
      {"rgba", [&] { compare(*gl, PixelFormat::rgba, "rgba"); }},
  };
  return vigil::test::run_cases("stages gl", cases);
}
