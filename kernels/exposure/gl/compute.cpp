// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/exposure/exposure.h"

#include "common/device_cast.h"
#include "common/error.h"
#include "common/gl/compute.h"
#include "kernels/exposure/exposure-shaders.h"

#include <string>

namespace vigil::exposure {
namespace {

using namespace shaders;

// The uniform block of state.glsl.
struct GlExposureJob {
  GlPicture frame;
  std::uint32_t background[3];
  std::int32_t background_stride[3];
  std::int32_t channels, has_shift;
  std::uint32_t shift_offset;
  std::int32_t step, columns, rows;
  Colours colours;
  std::int32_t plane, row_bytes, plane_rows;
  std::uint32_t out_offset;
  std::int32_t out_stride;
};
static_assert(sizeof(Colours) == 40 && sizeof(Lines) == 72);

// What is known after a frame, in the device's memory, as state.glsl has it.
struct GlState {
  Lines lines;
  Table table[3];
  Shift shift;
};

// Threads of the group that estimates: each waits for memory 4096 / threads times.
int estimating_threads(const GlDevice &device) {
  int n = 128; // need_compute() has seen that there are these
  while (n < 512 && 2 * n <= device.limits.invocations) n *= 2;
  return n;
}

std::string constants() {
  const auto real = [](const char *name, double v) {
    std::string s = text("#define ", name, " ", v);
    return s + (s.find('.', s.rfind(' ')) == s.npos ? ".0\n" : "\n");
  };
  return text("#define LOWEST ", lowest, "\n#define HIGHEST ", highest, "\n#define ROUNDS ", rounds,
              "\n#define MIN_SAMPLES ", min_samples, "\n#define MIN_SHARE ", min_share,
              "\n#define MIN_SHARE_YUV ", min_share_yuv, "\n#define MOST_ERROR ", most_error,
              "\n#define CLIPPED_HIGH ", clipped_high, "\n#define CLIPPED_LOW ", clipped_low, "\n") +
         real("LEAST_AGREEING", least_agreeing) + real("MAX_GAIN", max_gain) + real("FADING", fading) +
         real("SLACK", slack) + real("BELIEVED_FROM", believed_from) +
         real("BELIEVED_RANGE", believed_range) + real("FOLLOWING", following) +
         real("FOLLOWING_CHROMA", following_chroma) + real("FOLLOWING_FIRST", following_first) +
         real("FOLLOWING_MORE", following_more) + real("LOW_ANCHOR", low_anchor) +
         real("HIGH_ANCHOR", high_anchor) + real("HOLD_LUMA", hold_luma<double>) +
         real("HOLD_CHROMA", hold_chroma<double>);
}

class GlComputeExposure final : public Exposure {
 public:
  explicit GlComputeExposure(GlDevice &device)
      : device_(device), state_(device, sizeof(GlState)), constants_(constants()),
        estimate_constants_(
            text("#define ESTIMATES\n#define THREADS ", estimating_threads(device), "\n", constants_)) {
    need_compute(device, 8);
    estimate_program();
    undo_program();
    const auto queue = device.make_queue();
    const GlState nothing;
    device.upload(state_.as(), &nothing, sizeof nothing, *queue);
    queue->wait();
  }

  ConstImage apply(const ConstImage &frame, const Shifted &background, int channels, const Image &out,
                   Queue &) override {
    check(frame, background.picture, channels, out);
    const GlComputeGuard guard(device_);
    GlExposureJob job{};
    job.channels = channels;
    job.colours = colours();
    job.step = step_for(frame.width, frame.height);
    job.columns = samples_along(frame.width, job.step);
    job.rows = samples_along(frame.height, job.step);
    estimate(frame, background, job);
    if (host_copy()) device_.copy(host_copy(), lines(), sizeof(Lines));
    for (int i = 0; i < plane_count(frame.format); i++) undo(frame, background, out, i, job);
    return out;
  }
  const Lines *lines() const override { return &state_.as<GlState>()->lines; }
  void set(const Lines &l, Queue &queue) override {
    device_.upload(&state_.as<GlState>()->lines, &l, sizeof l, queue);
    queue.wait(); // `l` may go
  }

 private:
  const GlProgram &estimate_program() const {
    return device_.compute_program({bytes_glsl, state_glsl, estimate_comp}, estimate_constants_);
  }
  const GlProgram &undo_program() const {
    return device_.compute_program({bytes_glsl, state_glsl, undo_comp}, constants_);
  }
  void see(GlLaunch &launch, const ConstImage &frame, const ConstImage &background,
           GlExposureJob &job) const {
    job.frame = launch.read(0, frame);
    const GlPicture b = launch.read(3, background);
    for (int i = 0; i < 3; i++) {
      job.background[i] = b.offset[i];
      job.background_stride[i] = b.stride[i];
      if (i < plane_count(frame.format)) continue;
      launch.read(i, state_);
      launch.read(3 + i, state_);
    }
    launch.write(6, state_);
  }
  void estimate(const ConstImage &frame, const Shifted &background, GlExposureJob &job) {
    GlLaunch launch(device_, estimate_program());
    see(launch, frame, background.picture, job);
    job.has_shift = background.by != nullptr;
    job.shift_offset = launch.read(7, background.by ? static_cast<const void *>(background.by) : state_.as());
    launch.run(job, 1);
  }
  void undo(const ConstImage &frame, const Shifted &background, const Image &out, int plane,
            GlExposureJob &job) {
    GlLaunch launch(device_, undo_program());
    see(launch, frame, background.picture, job);
    job.plane = plane;
    job.row_bytes = std::int32_t(row_bytes(frame.format, plane, frame.width));
    job.plane_rows = plane_rows(plane, frame.height);
    job.out_offset = launch.write(7, out.data[plane]);
    job.out_stride = std::int32_t(out.stride[plane]);
    launch.run(job, gl_groups((job.row_bytes + 2) / 4 + 1, 32), gl_groups(job.plane_rows, 4));
  }

  GlDevice &device_;
  DeviceBuffer state_;
  const std::string constants_, estimate_constants_;
};

} // namespace

std::unique_ptr<Exposure> make_gl(Device &device) {
  return std::make_unique<GlComputeExposure>(device_cast<GlDevice>(device));
}

} // namespace vigil::exposure
