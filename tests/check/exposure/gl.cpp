// SPDX-License-Identifier: LGPL-2.1-or-later
// Exposure of textures, on OpenGL and OpenGL ES, against the CPU backend: the same lines and the same bytes.
#include "kernels/exposure/gl.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <memory>

namespace vigil::exposure {
namespace {

using check::Checker;

struct Size {
  int width, height;
};
constexpr Size sizes[] = {{1, 1}, {7, 5}, {40, 30}, {321, 243}, {640, 480}};

std::vector<std::uint8_t> fetch(const GlDevice &d, GLuint id, const GlTexture &frame, int width, int height) {
  if (id == frame.id()) return frame.read_bytes();
  const GlTexture copy(d, GL_RGBA8, width, height);
  const GlTarget target(d);
  const GlProgram program = GlProgram::fragment(
      d, {{"tests/copy.frag", "uniform sampler2D from;\nlayout(location = 0) out vec4 colour;\nvoid main() { "
                              "colour = texelFetch(from, ivec2(gl_FragCoord.xy), 0); }\n"}});
  program.use();
  program.bind("from", 0, id);
  target.bind({copy.id()}, width, height);
  d.draw_everywhere();
  return copy.read_bytes();
}

// Backgrounds that give lines, and random ones that keep the lines given, whose clipped samples matter.
void compare(Checker &c, const GlDevice &d, Size s) {
  const auto host = open_cpu(1);
  const auto queue = host->make_queue();
  const auto want = make_cpu(*host);
  GlExposure got(d, s.width, s.height);
  const std::size_t bytes = 4 * std::size_t(s.width) * s.height;
  const auto image = [&](std::vector<std::uint8_t> &of) {
    return Image{PixelFormat::rgba, s.width, s.height, {of.data()}, {4 * std::ptrdiff_t(s.width)}};
  };
  for (int frame = 0; frame < 8; frame++) {
    std::vector<std::uint8_t> background = c.noise(bytes), in = c.noise(bytes), out(bytes);
    const bool random = frame % 2 == 1;
    double gain[3], offset[3];
    for (int k = 0; k < 3; k++) {
      gain[k] = std::uniform_real_distribution(0.5, 1.6)(c.rng);
      offset[k] = std::uniform_real_distribution(-20., 20.)(c.rng);
    }
    for (std::size_t i = 0; i < bytes && !random; i++) {
      background[i] = static_cast<std::uint8_t>(20 + (i / 7) % 190);
      const double v = i % 4 < 3 ? gain[i % 4] * background[i] + offset[i % 4] + in[i] % 5 : 255;
      in[i] = static_cast<std::uint8_t>(std::clamp(v, 0., 255.));
    }
    if (random) {
      Lines given;
      for (Line &l : given.channel)
        l = {std::uniform_real_distribution(0.34f, 2.9f)(c.rng),
             std::uniform_real_distribution(-60.f, 60.f)(c.rng),
             1,
             1,
             {}};
      want->set(given, *queue);
      got.set(given);
    }
    const GlTexture b(d, GL_RGBA8, s.width, s.height), f(d, GL_RGBA8, s.width, s.height);
    b.write(background.data());
    f.write(in.data());
    const ConstImage mapped = want->apply(image(in), image(background), 3, image(out), *queue);
    got.know(b.id());
    const GLuint result = got.apply(f.id());
    const std::string what = text(s.width, "x", s.height, ", frame ", frame);
    c.expect(got.lines() == *want->lines(), what + ": the lines differ from the CPU's");
    c.expect((result == f.id()) == (mapped.data[0] == in.data()), what + ": only one of both maps the frame");
    const std::vector<std::uint8_t> pixels = fetch(d, result, f, s.width, s.height);
    const auto plane = [&](const std::uint8_t *data) {
      return Plane<const std::uint8_t>{data, 4 * s.width, s.height, 4 * std::ptrdiff_t(s.width)};
    };
    c.same_pixels(what, plane(mapped.data[0]), plane(pixels.data()), 0);
  }
}

void run_gl(Checker &c) {
  for (const Size s : sizes) compare(c, static_cast<const GlDevice &>(c.device), s);
}
void run_es(Checker &c) {
  std::unique_ptr<GlDevice> es;
  try {
    es = open_egl(true);
  } catch (const Error &e) {
    throw check::Skip{e.what()};
  }
  for (const Size s : sizes) compare(c, *es, s);
}

void run_times(Checker &c) {
  if (!c.benching()) throw check::Skip{"only with --bench"};
  const auto &d = static_cast<const GlDevice &>(c.device);
  if (!d.has_timer()) throw check::Skip{"this OpenGL has no timer queries"};
  constexpr int width = 1920, height = 1080;
  GlExposure exposure(d, width, height);
  std::vector<std::uint8_t> background = c.noise(std::size_t(4) * width * height), in(background.size());
  for (std::size_t i = 0; i < in.size(); i++) in[i] = static_cast<std::uint8_t>(background[i] * 3 / 4);
  const GlTexture b(d, GL_RGBA8, width, height), f(d, GL_RGBA8, width, height);
  b.write(background.data());
  f.write(in.data());
  exposure.know(b.id());
  c.time("1080p, gain 3/4", double(width) * height, [&] { exposure.apply(f.id()); });
}

const check::Register cases[] = {
    check::Register{{"exposure/gl", run_gl, {Backend::gl}}},
    check::Register{{"exposure/gl-es", run_es, {Backend::gl}}},
    check::Register{{"exposure/gl-times", run_times, {Backend::gl}}},
};

} // namespace
} // namespace vigil::exposure
