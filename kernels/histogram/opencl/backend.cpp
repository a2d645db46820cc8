// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/device_cast.h"
#include "common/error.h"
#include "common/opencl/program.h"
#include "kernels/histogram/histogram-cl.h"
#include "kernels/histogram/histogram.h"

#include <algorithm>

namespace vigil::histogram {
namespace {

static_assert(sizeof(Counts) == 4 * sizeof(Bins)); // as the kernels lay them out

constexpr int parts = 4; // histograms that a processor's thread fills in turn

int words(int channels) {
  return (channels == 3 ? 4 : 1) * bins;
}

class OpenCl final : public Counter {
 public:
  OpenCl(ClDevice &device, const Shape &wanted) : device_(device), processor_(device.is_cpu()) {
    units_ = std::max<std::uint64_t>(1, device.number_info(CL_DEVICE_MAX_COMPUTE_UNITS));
    shape_.group = wanted.group ? wanted.group : 1024;
    shape_.groups = wanted.groups ? wanted.groups : processor_ ? 4 : 1;
    shape_.copies = wanted.copies ? wanted.copies : 8;
    const auto group_limit = device.number_info(CL_DEVICE_MAX_WORK_GROUP_SIZE);
    const auto local_limit = device.number_info(CL_DEVICE_LOCAL_MEM_SIZE);
    while (shape_.group > 1 && std::uint64_t(shape_.group) > group_limit) shape_.group /= 2;
    while (shape_.copies > 1 && std::uint64_t(shape_.copies) * sizeof(Counts) > local_limit)
      shape_.copies /= 2;
    for (DeviceBuffer &b : counters_) b = DeviceBuffer(device, sizeof(Counts));
  }

  void count(ConstImage image, Queue &queue) override {
    check_picture(image);
    auto &q = static_cast<ClQueue &>(queue);
    const int channels = channel_count(image.format), sample = sample_of(image.format).bytes;
    prepare(image.format);
    if (!clean_)
      for (DeviceBuffer &b : counters_) device_.fill(b.as(), 0, sizeof(Counts), queue);
    clean_ = false; // until this was submitted
    now_ ^= 1;
    const ClPlane p = device_.view(image).plane[0];
    const int aligned = p.offset % 16 == 0 && p.stride % 16 == 0;
    const ClMem current = counters(now_), next = counters(now_ ^ 1);
    const auto launch = [&](ClRange2 global, ClRange2 local) {
      count_.launch(q, global, local, p.memory, p.offset, p.stride, p.width, p.height, aligned, current,
                    next);
    };
    if (processor_) {
      const auto items =
          std::min<std::uint64_t>(units_ * std::uint64_t(shape_.groups), std::uint64_t(p.height));
      launch({std::size_t(items)}, {1});
    } else {
      const int piece = (channels == 3 ? 4 : 16) / sample; // pixels of 16 bytes
      const std::uint64_t pieces = std::uint64_t((p.width + piece - 1) / piece) * std::uint64_t(p.height);
      const std::uint64_t group = std::uint64_t(shape_.group);
      const std::uint64_t groups =
          std::min(units_ * std::uint64_t(shape_.groups), (pieces + group - 1) / group);
      launch({std::size_t(groups * group)}, {std::size_t(group)});
    }
    clean_ = true;
  }
  void fetch(Counts *counts, Queue &queue) override {
    device_.download(counts, counters_[now_].as(), sizeof *counts, queue);
  }

  void draw(Image image, const Panel &panel, Queue &queue) override {
    check_panel(image, panel);
    auto &q = static_cast<ClQueue &>(queue);
    prepare(image.format);
    const ClImage v = device_.view(image);
    const ClPlane &p = v.plane[0];
    const int bytes = sample_of(image.format).bytes;
    const int pixel = (channel_count(image.format) == 3 ? 4 : 1) * bytes;
    const ClRange2 group = processor_ ? ClRange2{64, 8} : ClRange2{16, 16};
    draw_.launch(q, {std::size_t(panel.width), std::size_t(panel.height)}, group, counters(now_), p.memory,
                 p.offset + panel.y * p.stride + panel.x * pixel, p.stride, panel.width, panel.height,
                 panel.line, panel.bins);
    for (int i = 1; i < plane_count(image.format); i++) {
      const ClPlane &c = v.plane[i];
      const int together = plane_count(image.format) == 2 ? 2 : 1; // samples of a pair
      const int samples = (panel.width + 1) / 2 * together, rows = (panel.height + 1) / 2;
      grey_out_.launch(q, {std::size_t(samples), std::size_t(rows)}, {}, c.memory,
                       c.offset + panel.y / 2 * c.stride + panel.x / 2 * together * bytes, c.stride, samples,
                       rows);
    }
  }

 private:
  using ClMem = cl_mem;
  cl_mem counters(int i) const { return device_.range_of(counters_[i].as()).memory; }

  void prepare(PixelFormat format) {
    if (program_ && format == format_) return;
    const int channels = channel_count(format);
    const Sample sample = sample_of(format);
    ClProgram program(device_, {histogram_cl},
                      text("-D CHANNELS=", channels, " -D SETS=", words(channels) / bins,
                           " -D RED=", format == PixelFormat::bgra ? 2 : 0, " -D COPIES=", shape_.copies,
                           " -D PARTS=", parts, " -D DEEP=", int(sample.bytes == 2),
                           " -D SHIFT=", sample.shift, " -D MORE=", sample.more));
    count_ = program.kernel(processor_ ? "count_rows" : "count_groups");
    draw_ = program.kernel("draw");
    grey_out_ = program.kernel("grey_out");
    program_ = std::move(program);
    format_ = format;
  }

  ClDevice &device_;
  const bool processor_;
  std::uint64_t units_;
  Shape shape_;
  DeviceBuffer counters_[2];
  int now_ = 0;
  bool clean_ = false; // the counters of the next launch are 0
  PixelFormat format_ = PixelFormat::gray8;
  ClProgram program_;
  ClKernel count_, draw_, grey_out_;
};

} // namespace

std::unique_ptr<Counter> make_opencl(Device &device, const Shape &shape) {
  return std::make_unique<OpenCl>(device_cast<ClDevice>(device), shape);
}

} // namespace vigil::histogram
