// SPDX-License-Identifier: LGPL-2.1-or-later
// What all compute shaders rest on: devices that lack something, contexts that neighbours left in a mess,
// host memory that shaders write, copies that run behind the work.
#include "common/gl/compute.h"
#include "common/shifted.h"
#include "kernels/blobs/blobs.h"
#include "kernels/cleanup/cleanup.h"
#include "kernels/mog/mog.h"
#include "kernels/tamper/spots.h"
#include "tests/check/checker.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vigil::check {
namespace {

using enum PixelFormat;

GlDevice &gl_of(Checker &c) {
  return static_cast<GlDevice &>(c.device);
}

// Limits that are lower for as long as it lives.
class Lowered {
 public:
  explicit Lowered(GlDevice &d) : device_(d), limits_(d.limits), storage_(d.gl.BufferStorage) {}
  ~Lowered() {
    device_.limits = limits_;
    device_.gl.BufferStorage = storage_;
  }
  Lowered(const Lowered &) = delete;
  Lowered &operator=(const Lowered &) = delete;

 private:
  GlDevice &device_;
  GlLimits limits_;
  decltype(GlFunctions::BufferStorage) storage_;
};

// What is missing is said when a kernel is made, and not found out by a frame.
void run_limits(Checker &c) {
  GlDevice &d = gl_of(c);
  const auto refused = [&](const std::string &word, auto lower) {
    const Lowered guard(d);
    lower(d.limits);
    const mog::Config model{64, 48, 3};
    const blobs::Config config{64, 48};
    for (const auto &[name, make] :
         {std::pair<const char *, std::function<void()>>{"the model", [&] { mog::make(d, model); }},
          {"blobs", [&] { blobs::make(d, config); }}})
      try {
        make();
        c.fail(text(name, " was made without ", word));
      } catch (const Error &e) {
        c.expect(e.kind() == Error::Kind::no_device && std::string(e.what()).find(word) != std::string::npos,
                 text(name, ": ", e.what()));
      }
  };
  refused("compute shaders", [](GlLimits &l) { l.compute = false; });
  refused("storage buffers", [](GlLimits &l) { l.storage_buffers = 4; });
  refused("invocations", [](GlLimits &l) { l.invocations = 64; });
}

// A model that a shader cannot see whole is cut into bands of rows; its masks and its state are the same.
void run_bands(Checker &c) {
  GlDevice &d = gl_of(c);
  for (const mog::Precision p : {mog::Precision::single, mog::Precision::compact}) {
    const mog::Config config{130, 70, 3, mog::Method::zivkovic, p, 4};
    const auto whole = mog::make(d, config);
    const auto banded = [&] {
      const Lowered guard(d);
      d.limits.storage_bytes = 64 * 1024; // a frame fits, the state does not
      return mog::make(d, config);
    }();
    const Shift shifts[] = {{0, 0}, {5, -9}, {0, 69}, {-200, 0}};
    const DeviceBuffer known(d, sizeof shifts);
    d.upload(known.as(), shifts, sizeof shifts, c.queue());
    for (int t = 1; t <= 12; t++) {
      Picture frame(c, rgba, 130, 70), want(c, gray8, 130, 70), got(c, gray8, 130, 70);
      frame.bytes = c.noise(frame.bytes.size());
      frame.send();
      const double rate = mog::learning_rate({}, std::uint64_t(t));
      const Shift *const shift = known.as<const Shift>() + t % 4;
      const mog::Step a{frame.device(), want.device().plane(0), rate, shift},
          b{frame.device(), got.device().plane(0), rate, shift};
      whole->apply({&a, 1}, {}, {}, c.queue());
      banded->apply({&b, 1}, {}, {}, c.queue());
      want.fetch();
      got.fetch();
      // What follows the rows is nobody's.
      const auto end = got.bytes.begin() + std::ptrdiff_t(config.width) * config.height;
      const auto [g, w] = std::mismatch(got.bytes.begin(), end, want.bytes.begin());
      if (g != end)
        c.fail(text(p == mog::Precision::single ? "single" : "compact", ", frame ", t, ": bands give ",
                    int(*g), " at byte ", g - got.bytes.begin(), " of the mask, a whole model ", int(*w)));
    }
    const mog::State a = whole->save(c.queue()), b = banded->save(c.queue());
    c.expect(a.weight == b.weight && a.mean == b.mean && a.active == b.active, "bands learn something else");
  }
}

// With buffers that stay mapped and without: what shaders write to host memory is there after wait().
void run_host_memory(Checker &c) {
  GlDevice &d = gl_of(c);
  for (const bool mapped : {true, false}) {
    const Lowered guard(d);
    if (!mapped) d.gl.BufferStorage = nullptr;
    Picture picture(c, rgba, 321, 243);
    picture.bytes = c.noise(picture.bytes.size());
    picture.send();
    const auto cells = std::size_t(tamper::layout_for(321, 243).cells());
    const DeviceBuffer device(d, cells * sizeof(tamper::Spot));
    const std::shared_ptr<void> host(d.allocate_host(cells * sizeof(tamper::Spot)),
                                     [&](void *p) { d.release_host(p); });
    const auto sampler = tamper::make(d);
    sampler->apply(picture.device(), device.as<tamper::Spot>(), c.queue());
    sampler->apply(picture.device(), static_cast<tamper::Spot *>(host.get()), c.queue());
    std::vector<tamper::Spot> want(cells);
    d.download(want.data(), device.as(), device.bytes(), c.queue());
    c.queue().wait();
    c.expect(std::memcmp(want.data(), host.get(), device.bytes()) == 0,
             text("host memory", mapped ? "" : " without GL_BUFFER_STORAGE", " has other bytes"));
  }
}

// An event is reached with the copies before it, and not those behind it.
void run_events(Checker &c) {
  GlDevice &d = gl_of(c);
  const DeviceBuffer memory(d, 5);
  std::vector<std::uint8_t> first(5), second(5);
  const auto event = d.make_event();
  d.fill(memory.as(), 7, 5, c.queue());
  d.download(first.data(), memory.as(), 5, c.queue());
  event->record(c.queue());
  d.fill(memory.as(), 9, 5, c.queue());
  d.download(second.data(), memory.as(), 5, c.queue());
  event->wait();
  c.expect(first == std::vector<std::uint8_t>(5, 7), "a copy before the event is not there");
  c.queue().wait();
  c.expect(second == std::vector<std::uint8_t>(5, 9), "a copy before wait() is not there");
}

// What a neighbour has bound is bound again afterwards, and changes nothing.
void run_mess(Checker &c) {
  GlDevice &d = gl_of(c);
  const GlFunctions &gl = d.gl;
  Picture clean(c, gray8, 64, 48), dirty(c, gray8, 64, 48);
  clean.bytes = dirty.bytes = c.noise(clean.bytes.size());
  clean.send();
  dirty.send();
  const auto cleanup = cleanup::make(d, 64, 48);
  cleanup->apply(clean.device().plane(0), {}, {5, 1, 2}, c.queue());
  clean.fetch();

  const GlProgram own = GlProgram::compute(
      d, {{"tests/own.comp",
           "layout(local_size_x = 1) in;\nlayout(std430, binding = 0) buffer B { uint b[]; };\n"
           "void main() { b[0] = 1u; }\n"}});
  own.use();
  GLuint buffers[3];
  gl.GenBuffers(3, buffers);
  for (const GLuint b : buffers) {
    gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, b);
    gl.BufferData(GL_SHADER_STORAGE_BUFFER, 4096, nullptr, GL_DYNAMIC_COPY);
  }
  gl.BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffers[0]);
  gl.BindBufferRange(GL_SHADER_STORAGE_BUFFER, 1, buffers[1], 256, 512);
  gl.BindBufferBase(GL_UNIFORM_BUFFER, 0, buffers[2]);
  gl.BindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[1]);
  gl.Enable(0xffff); // an error that nobody has asked for

  cleanup->apply(dirty.device().plane(0), {}, {5, 1, 2}, c.queue());
  const auto bound = [&](GLenum what) {
    GLint v = 0;
    gl.GetIntegerv(what, &v);
    return GLuint(v);
  };
  const auto bound_at = [&](GLenum what, GLuint i) {
    GLint v = 0;
    gl.GetIntegeri_v(what, i, &v);
    return GLuint(v);
  };
  GLint64 start = 0;
  gl.GetInteger64i_v(GL_SHADER_STORAGE_BUFFER_START, 1, &start);
  c.expect(bound_at(GL_SHADER_STORAGE_BUFFER_BINDING, 0) == buffers[0] &&
               bound_at(GL_SHADER_STORAGE_BUFFER_BINDING, 1) == buffers[1] && start == 256 &&
               bound_at(GL_UNIFORM_BUFFER_BINDING, 0) == buffers[2] &&
               bound(GL_SHADER_STORAGE_BUFFER_BINDING) == buffers[1] && bound(GL_CURRENT_PROGRAM) != 0,
           "a neighbour's state was not put back");
  gl.DeleteBuffers(3, buffers);
  gl.UseProgram(0);
  dirty.fetch();
  c.expect(clean.bytes == dirty.bytes, "a neighbour's state changed a mask");
}

// A shader that does not compile is an error that names its file and line.
void run_shader(Checker &c) {
  try {
    gl_of(c).compute_program(
        {{"tests/bad.comp", "layout(local_size_x = 1) in;\nvoid main() { nothing(); }\n"}});
    c.fail("a shader with an unknown function was compiled");
  } catch (const Error &e) {
    const std::string what = e.what();
    c.expect(e.kind() == Error::Kind::device && what.find("tests/bad.comp:2") != std::string::npos, what);
  }
}

const Register registered[] = {Register{{"gl/limits", run_limits, {Backend::gl}}},
                               Register{{"gl/bands", run_bands, {Backend::gl}}},
                               Register{{"gl/host-memory", run_host_memory, {Backend::gl}}},
                               Register{{"gl/events", run_events, {Backend::gl}}},
                               Register{{"gl/mess", run_mess, {Backend::gl}}},
                               Register{{"gl/shader", run_shader, {Backend::gl}}}};

} // namespace
} // namespace vigil::check
