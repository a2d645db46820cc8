// SPDX-License-Identifier: LGPL-2.1-or-later
// The model in OpenGL: memory, parameters, the way from and to a State. The shaders are in the folder
// shaders/.
#include "kernels/mog/mog.h"

#include "common/device_cast.h"
#include "common/error.h"
#include "common/gl/compute.h"
#include "kernels/mog/gl/layout.h"
#include "kernels/mog/mog-shaders.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace vigil::mog {
namespace {

using namespace shaders;

constexpr int storage_buffers = 7; // of apply.comp

// The uniform block of job.glsl.
struct GlJob {
  GlPicture frame;
  std::uint32_t mask_offset;
  std::int32_t mask_stride;
  std::uint32_t shift_offset;
  std::int32_t has_shift;
  std::uint32_t map_offset;
  std::int32_t map_shift, map_columns, has_map;
  std::int32_t first_row, rows;
  std::uint32_t number;
  float rate[RateMap::kinds];
  float match2, background2, background_ratio, weight_threshold, complexity_prior;
  float initial_variance, initial_weight, min_variance, max_variance;
  float shadow_threshold, shadow2, deep_shadow_threshold, deep_shadow2, colourless2;
  float zero[3];
  std::int32_t background_by_deviation, detect_shadows;
  std::uint32_t shadow_value;

  void set(const Constants &c) {
    match2 = float(c.match2);
    background2 = float(c.background2);
    background_ratio = float(c.background_ratio);
    weight_threshold = float(c.weight_threshold);
    complexity_prior = float(c.complexity_prior);
    initial_variance = float(c.initial_variance);
    initial_weight = float(c.initial_weight);
    min_variance = float(c.min_variance);
    max_variance = float(c.max_variance);
    shadow_threshold = float(c.shadow_threshold);
    shadow2 = float(c.shadow2);
    deep_shadow_threshold = float(c.deep_shadow_threshold);
    deep_shadow2 = float(c.deep_shadow2);
    colourless2 = float(c.colourless2);
    for (int i = 0; i < 3; i++) zero[i] = float(c.zero[i]);
    background_by_deviation = c.background_by_deviation;
    detect_shadows = c.detect_shadows;
    shadow_value = c.shadow_value;
  }
};

// The uniform block of background.comp.
struct GlPictureJob {
  GlPicture out;
  std::int32_t first_row, rows;
};

void check_frame(const ConstImage &p, const char *what, const Config &c) {
  using enum Error::Kind;
  if (p.width != c.width || p.height != c.height)
    fail(bad_setting, what, " is of ", p.width, "x", p.height, " pixels, but the model of ", c.width, "x",
         c.height);
  if (is_16_bit(p.format)) fail(bad_setting, what, " has 16 bits a sample; the model takes 8");
  if (c.channels == 3 && p.format == PixelFormat::gray8)
    fail(bad_setting, what, " is gray8, but the model has 3 channels");
}

class GlModel final : public Model {
 public:
  GlModel(GlDevice &device, const Config &config)
      : device_(device), config_(config), layout_(config),
        definitions_(text("#define K ", config.components, "\n#define CHANNELS ", config.channels, "\n",
                          config.precision == Precision::compact ? "#define COMPACT\n" : "",
                          config.method == Method::mog ? "#define MOG\n" : "")) {
    need_compute(device, storage_buffers);
    // Bands of rows, each of which a shader sees whole.
    const std::size_t row = layout_.words() * 4 * std::size_t(config.width),
                      most = std::size_t(device.limits.storage_bytes);
    const int rows = int(std::min<std::size_t>(most / row, std::size_t(config.height)));
    if (rows < 1)
      fail(Error::Kind::no_device, "shaders see ", most, " bytes of a buffer on ", device.name(), ", but ",
           row, " are needed for a row of the model; use the CPU");
    const auto queue = device.make_queue();
    for (int first = 0; first < config.height; first += rows) {
      Band b{first, std::min(rows, config.height - first), {}};
      b.memory = DeviceBuffer(device, row * std::size_t(b.rows));
      device.fill(b.memory.as(), 0, b.memory.bytes(), *queue);
      bands_.push_back(std::move(b));
    }
    program(); // what does not compile is known at the start
  }
  const Config &config() const override { return config_; }

  void apply(std::span<const Step> group, const Params &params, const RateMap &rates, Queue &) override {
    if (group.empty()) fail(Error::Kind::bad_setting, "a group has at least one frame");
    for (const Step &s : group) check_frame(s.frame, "the frame", config_);
    const GlComputeGuard guard(device_);
    for (const Step &s : group) {
      for (const Band &b : bands_) apply(s, b, params, rates);
      frames++;
    }
  }

  void background(const Image &out, Queue &) override {
    check_frame(out, "the background picture", config_);
    const GlComputeGuard guard(device_);
    for (const Band &b : bands_) {
      GlLaunch launch(device_, device_.compute_program({bytes_glsl, background_comp}, definitions_));
      launch.read(0, b.memory);
      GlPictureJob job{launch.write(1, out), b.first, b.rows};
      for (int i = plane_count(out.format); i < 3; i++) launch.read(1 + i, b.memory);
      launch.run(job, gl_groups(config_.width, 32), gl_groups(b.rows, 4));
    }
  }

  State save(Queue &queue) override {
    State s = empty_state(config_);
    s.frames = frames;
    std::vector<std::vector<std::uint32_t>> words;
    for (const Band &b : bands_) {
      words.emplace_back(b.memory.bytes() / 4);
      device_.download(words.back().data(), b.memory.as(), b.memory.bytes(), queue);
    }
    queue.wait();
    for (std::size_t i = 0; i < bands_.size(); i++)
      layout_.decode(words[i], std::size_t(bands_[i].first) * std::size_t(config_.width), s);
    return s;
  }

  void load(const State &s, Queue &queue) override {
    check_fits(s, config_);
    std::vector<std::uint32_t> words;
    for (const Band &b : bands_) {
      words.assign(b.memory.bytes() / 4, 0);
      layout_.encode(s, std::size_t(b.first) * std::size_t(config_.width), words);
      device_.upload(b.memory.as(), words.data(), b.memory.bytes(), queue);
      queue.wait(); // `words` are used again
    }
    frames = s.frames;
  }

 private:
  struct Band {
    int first, rows; // of the picture
    DeviceBuffer memory;
  };

  const GlProgram &program() const {
    return device_.compute_program(
        {bytes_glsl, job_glsl, config_.method == Method::mog ? mog_glsl : zivkovic_glsl, apply_comp},
        definitions_);
  }

  void apply(const Step &s, const Band &b, const Params &params, const RateMap &rates) {
    GlLaunch launch(device_, program());
    GlJob job{};
    launch.write(0, b.memory);
    job.frame = launch.read(1, s.frame);
    for (int i = plane_count(s.frame.format); i < 3; i++) launch.read(1 + i, s.frame.data[0]);
    job.mask_offset = launch.write(4, s.mask);
    job.mask_stride = std::int32_t(s.mask.stride);
    job.has_shift = s.shift != nullptr;
    job.shift_offset = launch.read(5, s.shift ? static_cast<const void *>(s.shift) : b.memory.as());
    job.has_map = rates.map != nullptr;
    job.map_offset = launch.read(6, rates.map ? static_cast<const void *>(rates.map) : b.memory.as());
    job.map_shift = std::countr_zero(unsigned(rates.size));
    job.map_columns = rates.columns;
    job.first_row = b.first;
    job.rows = b.rows;
    job.number = std::uint32_t(frames);
    for (int k = 0; k < RateMap::kinds; k++) job.rate[k] = float(rates.rate(s.learning_rate, k));
    job.set(
        layout_.storable(resolve(params, config_.method, s.frame.format, config_.channels, config_.range)));
    launch.run(job, gl_groups((config_.width + 2) / 4 + 1, 32), gl_groups(config_.height, 4));
  }

  GlDevice &device_;
  const Config config_;
  const gl::Layout layout_;
  const std::string definitions_;
  std::vector<Band> bands_;
};

} // namespace

std::unique_ptr<Model> make_gl(Device &device, const Config &config) {
  check_config(config);
  if (config.precision == Precision::double_)
    fail(Error::Kind::bad_setting, "OpenGL ES has no double precision; use precision single or compact");
  return std::make_unique<GlModel>(device_cast<GlDevice>(device), config);
}

} // namespace vigil::mog
