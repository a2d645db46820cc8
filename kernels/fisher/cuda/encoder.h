// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "common/cuda/device.h"
#include "kernels/fisher/cuda/encode.h"

namespace vigil::fisher::cuda {

class CudaExtractor;

class CudaEncoder final : public Encoder {
 public:
  CudaEncoder(CudaDevice &, const Codebook &, const Classifier &, int capacity);
  void encode(const float *descriptors, const float *positions, int count, float *vector, float *scores,
              Queue &) override;
  void encode_frame(Extractor &, const ConstImage &frame, float *vector, float *scores, Queue &) override;
  void encode_pictures(Extractor &, const Pictures &, float *vectors, Queue &) override;

  // For benchmarks of single steps.
  const Projection &projection() const { return projection_; }
  const Mixture &mixture() const { return mixture_; }
  const Chunk &chunk() const { return chunk_; } // its memory, for chunk_tiles() tiles
  int chunk_tiles() const { return chunk_tiles_; }
  float *norms() const { return norms_.as<float>(); }
  Parts parts() const { return {parts_.as<float>(), most_parts_}; }

 private:
  CudaExtractor &own(Extractor &) const; // throws Error::bad_setting for one of another device
  // Posteriors and sums of a chunk whose x is there.
  void sum_chunk(const Chunk &, const Parts &, bool add, cudaStream_t) const;
  // Calls project(chunk) for one chunk of descriptors after another.
  template <class Project>
  void encode_chunks(int count, const float *weights, float *vector, float *scores, Queue &, Project project);
  void encode_picture(CudaExtractor &, const Pictures &, float *vector, float *scores, Queue &); // one
  void encode_together(CudaExtractor &, const Pictures &, float *vectors, Queue &);

  CudaDevice &device_;
  Projection projection_{};
  Mixture mixture_{};
  Scores scores_{};
  Chunk chunk_{};
  int chunk_tiles_ = 0, most_parts_ = 0;
  DeviceBuffer tables_, x_, posteriors_, masks_, parts_, norms_, weights_, partial_;
};

} // namespace vigil::fisher::cuda
