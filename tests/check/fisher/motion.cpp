// SPDX-License-Identifier: LGPL-2.1-or-later
// Difference pictures, bit for bit as the reference's; vectors and scores of models with
// motion compared with those of the reference's parts.
#include "kernels/fisher/motion.h"

#include "common/error.h"
#include "kernels/fisher/scorer.h"
#include "tests/check/checker.h"
#include "tests/check/fisher/input.h"

#include <algorithm>
#include <cmath>

namespace vigil::fisher {
namespace {

using check::Checker;
using check::Picture;

constexpr PixelFormat formats[] = {PixelFormat::gray8, PixelFormat::rgba, PixelFormat::bgra,
                                   PixelFormat::nv12, PixelFormat::i420};

std::vector<std::uint8_t> bytes_of(Checker &c, const ConstImage &image) {
  std::vector<std::uint8_t> out(std::size_t(image.width) * std::size_t(image.height));
  c.device.download(out.data(), image.data[0], out.size(), c.queue());
  c.queue().wait();
  return out;
}

void run_motion(Checker &c) {
  constexpr struct {
    int width, height, lag;
  } cases[] = {{1, 1, 1}, {33, 7, 2}, {31, 40, 3}, {128, 96, 6}, {321, 203, 5}};
  constexpr int frames = 14;
  int number = 0;
  for (const auto &k : cases)
    for (const PixelFormat format : formats) {
      const auto difference = make_difference(c.device, k.width, k.height, k.lag);
      std::vector<std::unique_ptr<Picture>> pictures; // earlier frames stay, for the reference
      std::vector<char> shown(frames);
      for (int n = 0; n < frames; n++) {
        pictures.push_back(std::make_unique<Picture>(c, format, k.width, k.height, number % 4));
        Picture &p = *pictures.back();
        paint(c, p.host(), n % 3 ? Content::texture : Content::noise);
        p.send();
        // every frame; or with gaps, and frames that are only kept
        const int what = number % 2 ? int(c.rng() % 4) : 3;
        if (n == 9) difference->forget(), std::fill(shown.begin(), shown.end(), char{0});
        if (what == 0) continue;
        shown[std::size_t(n)] = 1;
        if (what == 1) {
          difference->remember(p.device(), std::uint64_t(n), c.queue());
          continue;
        }
        const bool known = n >= k.lag && shown[std::size_t(n - k.lag)];
        const ConstImage now = p.host();
        const ConstImage before = pictures[std::size_t(known ? n - k.lag : n)]->host();
        const auto got = bytes_of(c, difference->step(p.device(), std::uint64_t(n), c.queue()));
        c.expect(got == reference_difference(now, known ? &before : nullptr),
                 text(k.width, "x", k.height, " format ", int(format), " lag ", k.lag, " frame ", n,
                      ": another difference picture"));
      }
      number++;
    }
  c.refused("a lag of 0", [&] { make_difference(c.device, 8, 8, 0); });
  c.refused("a lag that is too long", [&] { make_difference(c.device, 8, 8, max_lag + 1); });
  c.refused("no pixels", [&] { make_difference(c.device, 8, 0, 1); });
  c.refused("a frame of another size", [&] {
    Picture p(c, PixelFormat::gray8, 9, 8);
    make_difference(c.device, 8, 8, 1)->step(p.device(), 0, c.queue());
  });
  if (!c.benching()) return;
  Picture p(c, PixelFormat::nv12, 1920, 1080);
  paint(c, p.host(), Content::texture);
  p.send();
  const auto difference = make_difference(c.device, 1920, 1080, 6);
  std::uint64_t n = 0;
  c.time("a difference picture, 1080p NV12", 1920. * 1080,
         [&] { difference->step(p.device(), n++, c.queue()); });
}

using Floats = std::vector<float>;

struct Parts {
  Floats vector, scores;
};
// By the reference's extractor and encoder, each part for itself.
Parts reference_parts(const Model &m, const ConstImage &now, const ConstImage *before) {
  const auto host = open_cpu(1);
  const auto queue = host->make_queue();
  const auto difference = reference_difference(now, before);
  ConstImage changed{PixelFormat::gray8, now.width, now.height};
  changed.data[0] = difference.data();
  changed.stride[0] = now.width;
  Parts all;
  all.scores.resize(m.classifier.classes.size());
  const std::size_t whole = std::size_t(m.vector_length());
  for (const bool motion : {false, true}) {
    const Codebook &book = motion ? m.motion->codebook : m.codebook;
    const auto extractor = make_reference(now.width, now.height, m.sift);
    const auto encoder = make_reference(book, Classifier{}, extractor->layout().descriptors);
    Floats vector(std::size_t(encoder->vector_length()));
    encoder->encode_frame(*extractor, motion ? changed : now, vector.data(), nullptr, *queue);
    all.vector.insert(all.vector.end(), vector.begin(), vector.end());
  }
  for (std::size_t k = 0; k < all.scores.size(); k++) {
    double sum = m.classifier.bias[k];
    for (std::size_t i = 0; i < whole; i++)
      sum += double(m.classifier.weights[k * whole + i]) * double(all.vector[i]);
    all.scores[k] = float(sum);
  }
  return all;
}

void run_scorer(Checker &c) {
  constexpr int width = 97, height = 61, frames = 7, lag = 2;
  for (const int classes : {0, 1, 3}) {
    // 17 x 7: parts whose lengths are no multiples of four
    const DrawnModel pictures = draw_model(c, 17, 7, 0), changes = draw_model(c, 12, 9, 0);
    Model m;
    m.sift.scales = 4;
    m.codebook = pictures.codebook;
    m.motion = Motion{lag, changes.codebook};
    std::normal_distribution<float> normal;
    for (int k = 0; k < classes; k++) {
      m.classifier.classes.push_back(text("class ", k));
      for (int i = 0; i < m.vector_length(); i++) m.classifier.weights.push_back(normal(c.rng));
      m.classifier.bias.push_back(normal(c.rng));
      m.classifier.begin.push_back(0.5F);
      m.classifier.end.push_back(0.25F);
    }
    Scorer scorer(c.device, width, height, m);
    c.expect(scorer.vector_length() == m.vector_length() && scorer.classes() == classes,
             "sizes of the scorer");
    DeviceBuffer vector(c.device, scorer.vector_floats() * sizeof(float)),
        scores(c.device, std::max<std::size_t>(1, scorer.score_floats()) * sizeof(float));
    std::vector<std::unique_ptr<Picture>> shown;
    for (int n = 0; n < frames; n++) {
      shown.push_back(std::make_unique<Picture>(c, PixelFormat::nv12, width, height));
      paint(c, shown.back()->host(), Content::texture);
      shown.back()->send();
      if (n % 3) { // each third is scored: 0, 3, 6; needed for these are 1 and 4
        c.expect(scorer.remembers(std::uint64_t(n), 3) == (n % 3 == 1), "the frames that are remembered");
        if (n % 3 == 1) scorer.remember(shown.back()->device(), std::uint64_t(n), c.queue());
        continue;
      }
      scorer.score(shown.back()->device(), std::uint64_t(n), vector.as<float>(), scores.as<float>(),
                   c.queue());
      Floats parts(scorer.vector_floats()), part_scores(scorer.score_floats());
      c.device.download(parts.data(), vector.as(), parts.size() * sizeof(float), c.queue());
      if (classes > 0)
        c.device.download(part_scores.data(), scores.as(), part_scores.size() * sizeof(float), c.queue());
      c.queue().wait();
      Parts got{Floats(std::size_t(scorer.vector_length())), Floats(std::size_t(classes))};
      scorer.join_vector(parts.data(), got.vector);
      scorer.join_scores(part_scores.data(), got.scores);
      const ConstImage now = shown.back()->host();
      const ConstImage before = shown[std::size_t(n >= lag ? n - lag : n)]->host();
      const Parts want = reference_parts(m, now, n >= lag ? &before : nullptr);
      constexpr double tolerance = 1e-3;
      c.near_vectors(text("frame ", n, ", ", classes, " classes, vector"), want.vector, got.vector,
                     tolerance);
      double norm = 0;
      for (const float w : m.classifier.weights) norm += double(w) * double(w);
      for (std::size_t k = 0; k < got.scores.size(); k++)
        c.expect(std::abs(got.scores[k] - want.scores[k]) <= tolerance * std::sqrt(norm),
                 text("frame ", n, ": score ", got.scores[k], ", not ", want.scores[k]));
    }
  }
}

check::Register motion_case{{"fisher/motion", run_motion, {Backend::cpu, Backend::cuda}}};
check::Register scorer_case{{"fisher/scorer", run_scorer, {Backend::cpu, Backend::cuda}}};

} // namespace
} // namespace vigil::fisher
