// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/try_out.h"

#include "common/error.h"
#include "common/on_device_thread.h"
#include "gst/cudamog/device_picture.h"
#include "gst/cudamog/stage_list.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace vigil::gst::cudamog {
namespace {

constexpr int width = 70, height = 45, frames = 10, first_with_object = 5;
constexpr int least_foreground = 100; // pixels
using Bytes = std::vector<std::uint8_t>;

// A ground of squares with some noise, and a bright object that comes late.
std::uint8_t scene(int t, int plane, int x, int y) {
  if (plane > 0) return 128;
  if (t >= first_with_object && x >= 20 && x < 40 && y >= 10 && y < 35) return 230;
  const unsigned noise = unsigned((t * 31 + y) * 57 + x) * 2654435761U >> 30;
  return std::uint8_t(60 + (x / 7 + y / 5) % 4 * 20 + int(noise));
}

Format small_format() {
  Format f;
  f.pixels = PixelFormat::nv12;
  f.grid = cell_grid::grid_for(width, height);
  f.frame_seconds = 0.04;
  f.colours = exposure::colours_for(0.299, 0.114, false, false);
  return f;
}

class Trial {
 public:
  explicit Trial(Device &device) : device_(device), queue_(device.make_queue()), model_(device) {
    on_device_thread(device, [&] {
      list_ = std::make_unique<StageList>(device, model_, make_stages(device, model_, detector_));
      input_ = DevicePicture(device, PixelFormat::nv12, width, height);
      output_ = DevicePicture(device, PixelFormat::gray8, width, height);
    });
    list_->set_format(small_format());
    frame_ = list_->make_frame();
  }
  // The masks of the scene, one after another.
  Bytes masks() {
    Bytes all(std::size_t(width * height * frames)), row;
    const Image in = input_.image(), out = output_.image();
    for (int t = 0; t < frames; t++) {
      for (int i = 0; i < plane_count(in.format); i++)
        for (int y = 0; y < plane_rows(i, height); y++) {
          row.clear();
          for (int x = 0; x < int(row_bytes(in.format, i, width)); x++) row.push_back(scene(t, i, x, y));
          device_.upload(in.data[i] + y * in.stride[i], row.data(), row.size(), *queue_);
        }
      queue_->wait();
      frame_->settings_number = 1;
      frame_->seconds = 0.04;
      frame_->input = in;
      frame_->output = out;
      FrameContext *const one = frame_.get();
      list_->submit({&one, 1}, *queue_);
      list_->fetch(*frame_, *queue_);
      device_.download(all.data() + t * width * height, width, out.data[0], out.stride[0], width, height,
                       *queue_);
      queue_->wait();
      list_->finish(*frame_, *queue_);
    }
    return all;
  }

 private:
  Device &device_;
  std::unique_ptr<Queue> queue_;
  BackgroundModel model_;
  tamper::TamperDetector detector_;
  std::unique_ptr<StageList> list_;
  std::unique_ptr<FrameContext> frame_;
  DevicePicture input_, output_;
};

} // namespace

void try_out(Device &device) {
  const auto host = open_cpu(1);
  const Bytes want = Trial(*host).masks(), got = Trial(device).masks();
  int different = 0, foreground = 0;
  for (std::size_t i = 0; i < want.size(); i++) {
    different += want[i] != got[i];
    foreground += want[i] == 255;
  }
  if (1000 * different <= int(want.size()) && foreground >= least_foreground) return;
  fail(Error::Kind::device, device.name(), " computes other masks than the CPU: ", different, " of ",
       want.size(), " pixels of a small scene differ; use a newer driver, or another backend");
}

} // namespace vigil::gst::cudamog
