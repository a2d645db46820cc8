// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/check/fisher/input.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>

namespace vigil::fisher {
namespace {

using check::Checker;

float uniform(Checker &c, float low, float high) {
  return std::uniform_real_distribution<float>(low, high)(c.rng);
}

void paint_plane(Checker &c, std::uint8_t *first, std::ptrdiff_t stride, std::ptrdiff_t bytes, int rows,
                 int samples, Content content) {
  const float fx = uniform(c, 0.05F, 0.8F), fy = uniform(c, 0.05F, 0.8F), level = uniform(c, 20, 200);
  std::normal_distribution<float> grain(0, 5);
  for (int y = 0; y < rows; y++) {
    std::uint8_t *row = first + y * stride;
    const auto noise = content == Content::noise ? c.noise(bytes) : std::vector<std::uint8_t>();
    for (std::ptrdiff_t i = 0; i < bytes; i++) {
      const float x = float(i / samples);
      float v = level;
      if (content == Content::noise)
        v = noise[i];
      else if (content == Content::texture)
        v = 128 + 70 * std::sin(fx * x + fy * float(y)) + (3 * x > 4 * float(y) ? 30.F : 0.F) + grain(c.rng);
      else if (x > float(bytes) / float(samples) * 0.75F && (int(x) / 6 + y / 9) % 2)
        v = 230;
      row[i] = static_cast<std::uint8_t>(std::clamp(v, 0.F, 255.F));
    }
  }
}

} // namespace

const char *name_of(Content content) {
  return content == Content::noise ? "noise" : content == Content::texture ? "texture" : "flat";
}

void paint(Checker &c, Image image, Content content) {
  for (int i = 0; i < plane_count(image.format); i++) {
    const std::ptrdiff_t bytes = row_bytes(image.format, i, image.width);
    const int samples = std::max(1, int(bytes / image.plane(i).width));
    paint_plane(c, image.data[i], image.stride[i], bytes, plane_rows(i, image.height), samples, content);
  }
}

SiftParams draw(Checker &c, int width, int height) {
  for (;;) {
    SiftParams p = random_params<SiftParams>(params_table, c.rng);
    p.bin_size = 1 + int(c.rng() % (c.rng() % 4 ? 8 : 32));
    p.step = 1 + int(c.rng() % (c.rng() % 4 ? 8 : 64));
    p.largest_scale = std::exp2(uniform(c, -1, 1.2F));
    // With 0 rounding would decide what flat areas hold.
    p.contrast_threshold = c.rng() % 4 ? 0.005 : uniform(c, 0.001F, 0.1F);
    try {
      if (layout_for(width, height, p).descriptors <= 20000) return p;
    } catch (const Error &) { // no room: another one
    }
  }
}

Floats draw_descriptors(Checker &c, int count, float flat) {
  Floats d(std::size_t(descriptor_length) * count);
  for (int i = 0; i < count;) {
    const bool zero = uniform(c, 0, 1) < flat;
    for (int run = 1 + int(c.rng() % 40); run > 0 && i < count; run--, i++) {
      if (zero) continue;
      float squares = 0;
      float *p = &d[std::size_t(descriptor_length) * i];
      for (int e = 0; e < descriptor_length; e++) {
        const float v = uniform(c, 0, 1);
        p[e] = v * v * v;
        squares += p[e] * p[e];
      }
      for (int e = 0; e < descriptor_length; e++) p[e] /= std::sqrt(squares);
    }
  }
  return d;
}

Floats draw_positions(Checker &c, int count) {
  Floats p(std::size_t(2) * count);
  for (float &v : p) v = uniform(c, -0.5F, 0.5F);
  return p;
}

DrawnModel draw_model(Checker &c, int projected, int components, int classes) {
  std::normal_distribution<float> normal;
  DrawnModel m;
  Codebook &b = m.codebook;
  b.projected = projected;
  b.components = components;
  // A component a sample: with narrower ones a descriptor belongs to few of them, as with fitted ones.
  const Floats samples = draw_descriptors(c, components, 0);
  b.mean.resize(descriptor_length);
  for (std::size_t i = 0; i < samples.size(); i++)
    b.mean[i % descriptor_length] += samples[i] / float(components);
  for (int i = 0; i < projected * descriptor_length; i++) b.projection.push_back(0.1F * normal(c.rng));
  const int absent = components > 2 ? components - 1 : -1;
  double sum = 0;
  for (int j = 0; j < components; j++) {
    b.priors.push_back(j == absent ? 0 : uniform(c, 0.2F, 1));
    sum += b.priors.back();
    const float *sample = &samples[std::size_t(descriptor_length) * j];
    for (int k = 0; k < projected; k++) {
      float mean = 0;
      for (int e = 0; e < descriptor_length; e++)
        mean += b.projection[std::size_t(k) * descriptor_length + e] * ((j == 0 ? 0 : sample[e]) - b.mean[e]);
      b.means.push_back(j == 0 ? mean : 0.5F * mean);
      b.variances.push_back(j == 0 ? 1e-5F : uniform(c, 0.0003F, 0.003F));
    }
    for (int k = 0; k < 2; k++) {
      b.means.push_back(j == 0 ? 0 : uniform(c, -0.3F, 0.3F));
      b.variances.push_back(uniform(c, 0.02F, 0.1F));
    }
  }
  for (float &p : b.priors) p = float(p / sum);
  for (int k = 0; k < classes; k++) {
    m.classifier.classes.push_back(text("class ", k));
    for (int i = 0; i < b.vector_length(); i++) m.classifier.weights.push_back(normal(c.rng));
    m.classifier.bias.push_back(normal(c.rng));
    m.classifier.begin.push_back(0.5F);
    m.classifier.end.push_back(0.25F);
  }
  return m;
}

} // namespace vigil::fisher
