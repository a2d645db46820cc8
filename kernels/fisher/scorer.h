// SPDX-License-Identifier: LGPL-2.1-or-later
// From frames of one size to Fisher vectors and scores by a model, in parts: the picture itself, and where
// the model has a codebook of motion, the difference picture (motion.h). The vector is that of the picture
// followed by that of the difference; each is of length 1. A score is the sum of both parts'.
#pragma once

#include "kernels/fisher/model_file.h"
#include "kernels/fisher/motion.h"

#include <span>

namespace vigil::fisher {

class Scorer {
 public:
  // Throws what make() of fisher.h throws. The device must outlive this.
  Scorer(Device &, int width, int height, const Model &);
  int width() const { return parts_.front().extractor->width(); }
  int height() const { return parts_.front().extractor->height(); }
  int classes() const { return parts_.front().encoder->classes(); }
  int descriptors() const; // of a frame, of all parts
  int vector_length() const;
  // Floats that hold the vectors (scores) of all parts in the device's memory; each begins at an even place.
  std::size_t vector_floats() const { return vector_floats_; }
  std::size_t score_floats() const { return parts_.size() * score_stride(); }

  // Whether the frame, which is not scored itself, is needed for one that is, when each `every`-th of them
  // is, from 0 on.
  bool remembers(std::uint64_t number, int every) const {
    return difference_ &&
           (number + static_cast<std::uint64_t>(difference_->lag())) % std::uint64_t(every) == 0;
  }
  void remember(const ConstImage &frame, std::uint64_t number, Queue &queue) {
    if (difference_) difference_->remember(frame, number, queue);
  }
  // Frames have rising numbers. `vector` is vector_floats(), `scores` score_floats() or null; in the device's
  // memory, aligned to 16 bytes.
  void score(const ConstImage &frame, std::uint64_t number, float *vector, float *scores, Queue &);
  // Time jumped.
  void forget() {
    if (difference_) difference_->forget();
  }

  // From what score() wrote, brought to the host: vector_length() and classes() floats.
  void join_vector(const float *parts, std::span<float> out) const;
  void join_scores(const float *parts, std::span<float> out) const;

 private:
  struct Part {
    std::unique_ptr<Extractor> extractor;
    std::unique_ptr<Encoder> encoder;
    std::size_t at; // of its vector
  };
  std::size_t score_stride() const { return aligned(static_cast<std::size_t>(classes())); }
  static std::size_t aligned(std::size_t floats) { return (floats + 3) / 4 * 4; }
  void add(Device &, int width, int height, const SiftParams &, const Codebook &, const Classifier &);
  std::vector<Part> parts_;
  std::unique_ptr<Difference> difference_;
  std::size_t vector_floats_ = 0;
};

} // namespace vigil::fisher
