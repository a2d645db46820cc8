// SPDX-License-Identifier: LGPL-2.1-or-later
// Descriptors, encoding and whole frames of every backend against the reference, on noise, texture and
// pictures that are mostly flat; bits that repeat; what is refused; times.
#include "kernels/fisher/fisher.h"

#include "common/error.h"
#include "tests/check/checker.h"
#include "tests/check/fisher/input.h"

#include <algorithm>
#include <cmath>

namespace vigil::fisher {
namespace {

using check::Checker;
using check::Picture;

constexpr double tolerance = 1e-3;

// An array in the device's memory, and back.
struct Array {
  Array(Checker &c, std::size_t floats)
      : checker(c), count(floats), memory(c.device, floats * sizeof(float) + 1) {
    c.device.fill(memory.as(), 0xff, floats * sizeof(float), c.queue()); // NaN: every element must be written
  }
  Array(Checker &c, const Floats &values) : Array(c, values.size()) {
    if (values.empty()) return;
    c.device.upload(memory.as(), values.data(), count * sizeof(float), c.queue());
    c.queue().wait();
  }
  float *get() const { return memory.as<float>(); }
  Floats host() const {
    Floats v(count);
    if (count > 0) checker.device.download(v.data(), get(), count * sizeof(float), checker.queue());
    checker.queue().wait();
    return v;
  }
  Checker &checker;
  std::size_t count;
  DeviceBuffer memory;
};

struct Result {
  Floats vector, scores;
  bool operator==(const Result &) const = default;
};

Result encode_by(Checker &c, Encoder &encoder, const Floats &descriptors, const Floats &positions) {
  const Array d(c, descriptors), p(c, positions), vector(c, encoder.vector_length()),
      scores(c, encoder.classes());
  encoder.encode(d.get(), p.get(), int(positions.size() / 2), vector.get(), scores.get(), c.queue());
  return {vector.host(), scores.host()};
}
Result reference_of(const DrawnModel &m, const Floats &descriptors, const Floats &positions) {
  const auto host = open_cpu(1);
  const int count = int(positions.size() / 2);
  const auto encoder = make_reference(m.codebook, m.classifier, std::max(count, 1));
  Result r{Floats(encoder->vector_length()), Floats(encoder->classes())};
  encoder->encode(descriptors.data(), positions.data(), count, r.vector.data(), r.scores.data(),
                  *host->make_queue());
  return r;
}
void same_result(Checker &c, const std::string &what, const DrawnModel &m, const Result &want,
                 const Result &got) {
  c.near_vectors(what + ", vector", want.vector, got.vector, tolerance);
  for (int k = 0; k < m.classifier.count(); k++) {
    double norm = 0;
    for (std::size_t i = 0; i < want.vector.size(); i++) {
      const double w = m.classifier.weights[k * want.vector.size() + i];
      norm += w * w;
    }
    if (!(std::abs(want.scores[k] - got.scores[k]) <= tolerance * std::sqrt(norm)))
      c.fail(text(what, ": score ", got.scores[k], ", not ", want.scores[k]));
  }
}

struct Size {
  int width, height;
};

void run_sift(Checker &c) {
  // One window (of the default parameters), odd, wide, tall.
  constexpr Size sizes[] = {{9, 9}, {13, 10}, {9, 200}, {257, 11}, {61, 47}, {128, 96}, {203, 151}};
  constexpr PixelFormat formats[] = {PixelFormat::gray8, PixelFormat::rgba, PixelFormat::bgra,
                                     PixelFormat::nv12, PixelFormat::i420};
  const auto host = open_cpu(1);
  int number = 0;
  for (const Size s : sizes)
    for (const Content content : contents)
      for (const bool usual : {true, false}) {
        SiftParams p;
        if (!usual) p = draw(c, s.width, s.height);
        Picture picture(c, formats[number % 5], s.width, s.height, number % 3 * 5);
        paint(c, picture.host(), content);
        picture.send();
        const auto want_by = make_reference(s.width, s.height, p);
        const auto got_by = make(c.device, s.width, s.height, p);
        const std::size_t count = std::size_t(descriptor_length) * want_by->layout().descriptors;
        Floats want(count);
        want_by->extract(picture.host(), want.data(), *host->make_queue());
        const Array got(c, count);
        got_by->extract(picture.device(), got.get(), c.queue());
        c.near_vectors(text(s.width, "x", s.height, " ", name_of(content), " format ", number % 5, " scales ",
                            p.scales, " from ", p.largest_scale, " bin ", p.bin_size, " step ", p.step,
                            " threshold ", p.contrast_threshold),
                       want, got.host(), tolerance);
        const std::size_t places = std::size_t(2) * got_by->layout().descriptors;
        Floats at(places);
        c.device.download(at.data(), got_by->positions(), places * sizeof(float), c.queue());
        c.queue().wait();
        c.expect(at == positions_for(got_by->layout(), p), "positions are not those of the layout");
        number++;
      }
}

void time_encoding(Checker &c) {
  const DrawnModel m = draw_model(c, 80, 256, 1);
  for (const int count : {10000, 250000}) {
    const Array d(c, draw_descriptors(c, count, 0)), p(c, draw_positions(c, count));
    const auto encoder = make(c.device, m.codebook, m.classifier, count);
    const Array vector(c, encoder->vector_length());
    c.time(text("encoding ", count, " descriptors"), count,
           [&] { encoder->encode(d.get(), p.get(), count, vector.get(), nullptr, c.queue()); });
  }
}

void time_frames(Checker &c) {
  const DrawnModel m = draw_model(c, 80, 256, 1);
  constexpr struct {
    const char *name;
    int width, height;
  } frames[] = {{"320x240", 320, 240}, {"640x480", 640, 480}, {"1080p", 1920, 1080}};
  const auto time_frame = [&](const char *name, int width, int height, const SiftParams &p,
                              const char *scales) {
    Picture picture(c, PixelFormat::nv12, width, height);
    paint(c, picture.host(), Content::texture);
    picture.send();
    const auto extractor = make(c.device, width, height, p);
    const int count = extractor->layout().descriptors;
    const auto encoder = make(c.device, m.codebook, m.classifier, count);
    const Array d(c, std::size_t(descriptor_length) * count), vector(c, encoder->vector_length()),
        scores(c, 1);
    c.time(text(name, " ", scales, ", ", count, " descriptors: sift"), double(width) * height,
           [&] { extractor->extract(picture.device(), d.get(), c.queue()); });
    c.time(text(name, " ", scales, ", whole frame"), double(width) * height, [&] {
      encoder->encode_frame(*extractor, picture.device(), vector.get(), scores.get(), c.queue());
    });
  };
  for (const auto &f : frames) time_frame(f.name, f.width, f.height, {}, "8 scales");
  time_frame("320x240", 320, 240, {.scales = 9, .largest_scale = 2}, "9 scales");
  time_frame("320x240", 320, 240, {.scales = 7, .largest_scale = 1}, "7 scales");
}

void run_encode(Checker &c) {
  constexpr struct {
    int projected, components, count, classes;
  } cases[] = {{80, 256, 700, 3}, {80, 256, 1, 1},  {80, 256, 0, 2}, {1, 1, 100, 1},   {128, 64, 333, 0},
               {64, 100, 129, 5}, {17, 7, 5000, 1}, {80, 3, 64, 2},  {30, 513, 65, 1}, {80, 256, 2500, 1}};
  for (const auto &k : cases)
    for (const float flat : {0.F, 0.7F, 1.F}) {
      const Floats descriptors = draw_descriptors(c, k.count, flat), positions = draw_positions(c, k.count);
      const DrawnModel m = draw_model(c, k.projected, k.components, k.classes);
      const auto encoder = make(c.device, m.codebook, m.classifier, std::max(k.count, 1));
      const std::string what =
          text(k.count, " descriptors, ", flat * 100, " % flat, ", k.projected, " x ", k.components);
      const Result got = encode_by(c, *encoder, descriptors, positions);
      same_result(c, what, m, reference_of(m, descriptors, positions), got);
      c.expect(got == encode_by(c, *encoder, descriptors, positions), what + ": other bits the second time");
    }
  if (c.benching()) time_encoding(c);
}

void run_frame(Checker &c) {
  constexpr Size sizes[] = {{9, 9}, {97, 33}, {31, 140}, {320, 240}, {641, 479}};
  int number = 0;
  for (const Size s : sizes)
    for (const Content content : contents) {
      const SiftParams p{.scales = number % 2 ? 7 : 8,
                         .largest_scale = number % 2 ? 1.5 : SiftParams{}.largest_scale};
      Picture picture(c, number % 3 ? PixelFormat::nv12 : PixelFormat::bgra, s.width, s.height, number % 4);
      paint(c, picture.host(), content);
      picture.send();
      const DrawnModel m = draw_model(c, 20, 16, 2);
      const auto extractor = make(c.device, s.width, s.height, p);
      const auto encoder = make(c.device, m.codebook, m.classifier, extractor->layout().descriptors);
      const auto frame = [&](Extractor &x, Encoder &e) {
        const Array vector(c, e.vector_length()), scores(c, e.classes());
        e.encode_frame(x, picture.device(), vector.get(), scores.get(), c.queue());
        return Result{vector.host(), scores.host()};
      };
      const Result got = frame(*extractor, *encoder);
      const auto host = open_cpu(1);
      const auto reference = make_reference(s.width, s.height, p);
      Floats descriptors(std::size_t(descriptor_length) * reference->layout().descriptors);
      reference->extract(picture.host(), descriptors.data(), *host->make_queue());
      const std::string what = text(s.width, "x", s.height, " ", name_of(content));
      same_result(c, what, m, reference_of(m, descriptors, positions_for(reference->layout(), p)), got);
      c.expect(got == frame(*extractor, *encoder), what + ": other bits the second time");
      c.expect(got ==
                   frame(*make(c.device, s.width, s.height, p),
                         *make(c.device, m.codebook, m.classifier, extractor->layout().descriptors + 1000)),
               what + ": other bits by another encoder");
      if (c.device.backend() == Backend::cpu)
        for (const int threads : {1, 2}) {
          const auto other = open_cpu(threads);
          c.expect(got == frame(*make(*other, s.width, s.height, p),
                                *make(*other, m.codebook, m.classifier, extractor->layout().descriptors)),
                   text(what, ": other bits by ", threads, " threads"));
        }
      number++;
    }
  if (c.benching()) time_frames(c);
}

void run_refused(Checker &c) {
  const auto refused = [&](const char *what, Error::Kind kind, auto call) {
    try {
      call();
      c.fail(text(what, " was not refused"));
    } catch (const Error &e) {
      c.expect(e.kind() == kind, text(what, ": ", e.what()));
    }
  };
  using enum Error::Kind;
  const DrawnModel m = draw_model(c, 10, 5, 2);
  refused("a frame smaller than a window", bad_setting, [&] { make(c.device, 8, 9, {}); });
  refused("a frame without pixels", bad_setting, [&] { make(c.device, 0, 9, {}); });
  refused("scales from NaN", bad_setting, [&] { make(c.device, 64, 64, {.largest_scale = NAN}); });
  refused("a step of 0", bad_setting, [&] { make(c.device, 64, 64, {.step = 0}); });
  refused("an encoder for nothing", bad_setting, [&] { make(c.device, m.codebook, m.classifier, 0); });
  refused("more than was announced", bad_setting, [&] {
    const Array d(c, 2 * descriptor_length), p(c, 4), v(c, m.codebook.vector_length());
    make(c.device, m.codebook, {}, 1)->encode(d.get(), p.get(), 2, v.get(), nullptr, c.queue());
  });
  refused("a frame of another size", bad_setting, [&] {
    Picture picture(c, PixelFormat::gray8, 21, 20);
    const auto extractor = make(c.device, 20, 20, {});
    const Array d(c, std::size_t(descriptor_length) * extractor->layout().descriptors);
    extractor->extract(picture.device(), d.get(), c.queue());
  });
  const auto broken = [&](const char *what, auto change) {
    DrawnModel bad = m;
    change(bad);
    refused(what, bad_data, [&] { make(c.device, bad.codebook, bad.classifier, 10); });
  };
  broken("a missing mean", [](DrawnModel &b) { b.codebook.means.pop_back(); });
  broken("a variance of 0", [](DrawnModel &b) { b.codebook.variances[3] = 0; });
  broken("a prior that is NaN", [](DrawnModel &b) { b.codebook.priors[1] = NAN; });
  broken("priors that sum to 2", [](DrawnModel &b) { b.codebook.priors[0] += 1; });
  broken("an infinite projection", [](DrawnModel &b) { b.codebook.projection[7] = INFINITY; });
  broken("129 projected dimensions", [](DrawnModel &b) { b.codebook.projected = 129; });
  broken("-1 components", [](DrawnModel &b) { b.codebook.components = -1; });
  broken("too few weights", [](DrawnModel &b) { b.classifier.weights.pop_back(); });
  broken("an end above the begin", [](DrawnModel &b) { b.classifier.end[0] = b.classifier.begin[0] + 1; });
}

check::Register sift_case{{"fisher/sift", run_sift}};
check::Register encode_case{{"fisher/encode", run_encode}};
check::Register frame_case{{"fisher/frame", run_frame}};
check::Register refused_case{{"fisher/refused", run_refused}};

} // namespace
} // namespace vigil::fisher
