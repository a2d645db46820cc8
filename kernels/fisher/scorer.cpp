// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/fisher/scorer.h"

#include <algorithm>

namespace vigil::fisher {
namespace {

// The columns first .. first+count-1 of the weights; only the first part has the bias.
Classifier part_of(const Classifier &all, std::size_t length, std::size_t first, std::size_t count) {
  Classifier c = all;
  c.weights.clear();
  for (std::size_t k = 0; k < all.classes.size(); k++) {
    const auto row = all.weights.begin() + static_cast<std::ptrdiff_t>(k * length + first);
    c.weights.insert(c.weights.end(), row, row + static_cast<std::ptrdiff_t>(count));
  }
  if (first > 0) c.bias.assign(c.bias.size(), 0.F);
  return c;
}

} // namespace

Scorer::Scorer(Device &device, int width, int height, const Model &model) {
  validate(model);
  const auto whole = static_cast<std::size_t>(model.vector_length()),
             first = static_cast<std::size_t>(model.codebook.vector_length());
  add(device, width, height, model.sift, model.codebook, part_of(model.classifier, whole, 0, first));
  if (!model.motion) return;
  difference_ = make_difference(device, width, height, model.motion->lag);
  add(device, width, height, model.sift, model.motion->codebook,
      part_of(model.classifier, whole, first, whole - first));
}

void Scorer::add(Device &device, int width, int height, const SiftParams &sift, const Codebook &codebook,
                 const Classifier &classifier) {
  auto extractor = make(device, width, height, sift);
  auto encoder = make(device, codebook, classifier, extractor->layout().descriptors);
  const std::size_t at = vector_floats_;
  vector_floats_ += aligned(static_cast<std::size_t>(encoder->vector_length()));
  parts_.push_back({std::move(extractor), std::move(encoder), at});
}

int Scorer::descriptors() const {
  int sum = 0;
  for (const Part &p : parts_) sum += p.extractor->layout().descriptors;
  return sum;
}
int Scorer::vector_length() const {
  int sum = 0;
  for (const Part &p : parts_) sum += p.encoder->vector_length();
  return sum;
}

void Scorer::score(const ConstImage &frame, std::uint64_t number, float *vector, float *scores,
                   Queue &queue) {
  ConstImage picture = frame;
  for (std::size_t i = 0; i < parts_.size(); i++) {
    if (i > 0) picture = difference_->step(frame, number, queue);
    parts_[i].encoder->encode_frame(*parts_[i].extractor, picture, vector + parts_[i].at,
                                    scores ? scores + i * score_stride() : nullptr, queue);
  }
}

void Scorer::join_vector(const float *parts, std::span<float> out) const {
  auto to = out.begin();
  for (const Part &p : parts_) to = std::copy_n(parts + p.at, p.encoder->vector_length(), to);
}

void Scorer::join_scores(const float *parts, std::span<float> out) const {
  std::fill(out.begin(), out.end(), 0.F);
  for (std::size_t i = 0; i < parts_.size(); i++)
    for (std::size_t c = 0; c < out.size(); c++) out[c] += parts[i * score_stride() + c];
}

} // namespace vigil::fisher
