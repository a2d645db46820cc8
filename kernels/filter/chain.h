// SPDX-License-Identifier: LGPL-2.1-or-later
// Whole chains on an OpenCL device: stages that fuse are a ClFilter together, others work by themselves.
#pragma once

#include "kernels/filter/opencl.h"
#include "kernels/filter/opencl/yuv.h"
#include "kernels/filter/tune.h"

#include <memory>
#include <optional>

namespace vigil::filter {

// The chain as the chains of its parts, in order: as many neighbours as fuse, or one stage of another kind.
// One part at least.
std::vector<Chain> parts_of(const Chain &);

class ClChain final : public Filter {
 public:
  // Builds the kernels, and searches for the fastest ones as `mode` says. Sources of the user's kernels are
  // loaded, and the kernels were tried (user.h) for frames of width x height pixels; where that is not said
  // (0), there is no search for them. `coding` is that of p010. Throws as ClFilter does. `device` must
  // outlive the chain.
  ClChain(ClDevice &device, const Chain &, PixelFormat, tuning::Mode mode = tuning::Mode::off, int width = 0,
          int height = 0, const Coding &coding = {});
  ~ClChain() override;
  // Another chain, as ClFilter::set_chain(): true when kernels had to be built; when it throws, the chain
  // stays. Stages over time whose place among the parts stays keep what they know. There is no search: stages
  // that fuse take the shape of those before.
  bool set_chain(const Chain &);
  void apply(ConstImage in, Image out, Queue &) override; // device memory
  void forget() override;

  std::size_t passes() const;
  std::string variant() const;
  const tuning::Result &tuning() const { return tuning_; }

  class Part;

 private:
  std::unique_ptr<Part> make(const Chain &, const Shape &, ClRange2 group) const;

  ClDevice &device_;
  PixelFormat format_, worked_; // of pictures, and of what parts work on
  std::optional<ClYuv> ends_;   // from the one to the other, where they differ
  Shape shape_;                 // for parts to come
  bool stored_costs_;
  tuning::Result tuning_;
  std::vector<std::unique_ptr<Part>> parts_;
  DeviceBuffer between_[2];
};

} // namespace vigil::filter
