// SPDX-License-Identifier: LGPL-2.1-or-later
// Both OpenGL backends, on OpenGL and OpenGL ES.
#include "common/error.h"
#include "kernels/colinearseg/gl_results.h"
#include "kernels/colinearseg/packed.h"
#include "tests/check/colinearseg/rig.h"

namespace vigil::colinearseg {
namespace {

using check::Checker;
using check::Skip;

class GlRig final : public Rig {
 public:
  GlRig(const GlDevice &d, const Config &c, int learn_frames, Path path)
      : device_(d), segmenter_(d, c, learn_frames, path), frame_(d, GL_RGBA8, c.width, c.height) {}
  void learn(int learn_frames) override { segmenter_.learn(learn_frames); }
  void set_background(ConstImage image, int learn_frames) override {
    segmenter_.set_background(image, learn_frames);
  }
  void segment(ConstImage frame, const Params &p) override {
    frame_.write(frame.data[0]);
    segmenter_.segment(frame_.id(), p);
  }
  State save() const override { return segmenter_.save(); }
  void load(const State &s) override { segmenter_.load(s); }
  std::vector<std::uint8_t> draw(Show show, ConstImage frame, std::span<const compose::DrawnBox> boxes,
                                 const compose::Style &style) override {
    frame_.write(frame.data[0]);
    if (!target_) target_ = GlTexture(device_, GL_RGBA8, frame.width, frame.height);
    results().draw(show, frame_.id(), segmenter_, boxes, style, target_.id());
    return target_.read_bytes();
  }
  std::vector<std::uint8_t> mask() override {
    const Config &c = segmenter_.config();
    std::vector<std::uint8_t> mask(std::size_t(c.width) * c.height);
    unpack_mask(segmenter_.mask().read(), Plane<std::uint8_t>{mask.data(), c.width, c.height, c.width});
    return mask;
  }

 private:
  GlResults &results() {
    if (!results_) results_ = std::make_unique<GlResults>(device_, segmenter_.config());
    return *results_;
  }
  const GlDevice &device_;
  GlSegmenter segmenter_;
  GlTexture frame_, target_;
  std::unique_ptr<GlResults> results_;
};

MakeRig rig_of(const GlDevice &d, Path path) {
  return {name_of(path), [&d, path](const Config &c, int learn_frames) {
            return std::make_unique<GlRig>(d, c, learn_frames, path);
          }};
}
const GlDevice &device_of(Checker &c) {
  return static_cast<const GlDevice &>(c.device);
}

void run_compute(Checker &c) {
  const GlDevice &d = device_of(c);
  if (!d.has_compute()) throw Skip{d.name() + " has no compute shaders"};
  check_segmentation(c, rig_of(d, Path::compute));
}
void run_fragment(Checker &c) {
  check_segmentation(c, rig_of(device_of(c), Path::fragment));
}
void run_large(Checker &c) {
  const GlDevice &d = device_of(c);
  if (d.has_compute()) check_large(c, rig_of(d, Path::compute));
  check_large(c, rig_of(d, Path::fragment));
}
void run_results(Checker &c) {
  check_results(c, rig_of(device_of(c), Path::fragment));
}
void run_es(Checker &c) {
  std::unique_ptr<GlDevice> es;
  try {
    es = open_egl(true);
  } catch (const Error &e) {
    throw Skip{e.what()};
  }
  check_segmentation(c, rig_of(*es, Path::fragment));
  if (es->has_compute()) check_segmentation(c, rig_of(*es, Path::compute));
}

void run_errors(Checker &c) {
  const GlDevice &d = device_of(c);
  check_errors(c, rig_of(d, Path::automatic));
  const GlSource good = {"kernels/a.glsl", "int two() { return 2; }\n"};
  const GlSource bad = {"kernels/b.frag", "out vec4 c;\nvoid main() {\n  c = nonsense(two());\n}\n"};
  check_throws(c, "a shader with a mistake", Error::Kind::device, "kernels/b.frag:3:", [&] {
    GlProgram::fragment(d, {good, bad});
  });
  const std::string named =
      name_lines("0(7) : error C1503\n0:1(2): error: x\nERROR: 0:4: 'y'\n", 3, {good, bad});
  c.expect(named == "kernels/b.frag:3: error C1503\n0:1(2): error: x\nkernels/a.glsl:1: 'y'\n",
           "the lines of a driver's log are named wrongly: " + named);
  const std::string absurd = "0:99999999999999999999(1): error: x\n"; // no number of ours
  c.expect(name_lines(absurd, 3, {good, bad}) == absurd, "an absurd line of a driver's log is changed");
  const int elsewhere = 0;
  check_throws(c, "an address of elsewhere", Error::Kind::bad_setting, "address",
               [&] { d.range_of(&elsewhere); });
}

void time_path(Checker &c, const GlDevice &d, Path path, const Config &config) {
  GlSegmenter segmenter(d, config, 1, path);
  HostFrame frame(config);
  const GlTexture texture(d, GL_RGBA8, config.width, config.height);
  for (int t = 0; t < 2; t++) {
    paint(frame, c, t);
    texture.write(frame.bytes.data());
    if (t == 0) segmenter.segment(texture.id(), {});
  }
  for (const int iterations : {0, 1, 2, 4, 6, 8, 10}) {
    Params p;
    p.iterations = iterations;
    c.time(text(name_of(path), " ", config.width, "x", config.height, " iterations ", iterations),
           double(config.width) * config.height, [&] { segmenter.segment(texture.id(), p); });
  }
}
void run_times(Checker &c) {
  const GlDevice &d = device_of(c);
  if (!c.benching()) throw Skip{"only with --bench"};
  if (!d.has_timer()) throw Skip{"this OpenGL has no timer queries"};
  for (const Config &config : {Config{640, 480}, Config{1920, 1080}})
    for (const Path path : {Path::compute, Path::fragment})
      if (path == Path::fragment || d.has_compute()) time_path(c, d, path, config);
}

const check::Register cases[] = {
    check::Register{{"colinearseg/gl-errors", run_errors, {Backend::gl}}},
    check::Register{{"colinearseg/compute", run_compute, {Backend::gl}}},
    check::Register{{"colinearseg/fragment", run_fragment, {Backend::gl}}},
    check::Register{{"colinearseg/es", run_es, {Backend::gl}}},
    check::Register{{"colinearseg/gl-large", run_large, {Backend::gl}}},
    check::Register{{"colinearseg/gl-results", run_results, {Backend::gl}}},
    check::Register{{"colinearseg/gl-times", run_times, {Backend::gl}}},
};

} // namespace
} // namespace vigil::colinearseg
