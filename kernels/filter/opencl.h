// SPDX-License-Identifier: LGPL-2.1-or-later
// Filter chains on an OpenCL device: plan.h says how they become kernels.
#pragma once

#include "common/opencl/program.h"
#include "kernels/filter/plan.h"

#include <optional>

namespace vigil::filter {

struct ClOptions {
  std::optional<Shape> shape;       // default_shape() otherwise
  std::optional<double> round_trip; // of Costs; the device's own otherwise
  bool staged = false;              // each stencil a kernel of its own, for comparison
  bool stored_costs = false;        // cuts are decided by what was measured on the device (costs.h)
};

// What was measured to be good on most chains; shapes() are worth a try instead. Neither depends on the
// chain.
Shape default_shape(const ClDevice &);
std::vector<Shape> shapes(const ClDevice &);
Costs costs_of(const ClDevice &);

class ClFilter final : public Filter {
 public:
  // Builds the kernels, or takes them from the cache. Throws Error::bad_setting for a format that the chain
  // cannot work on, Error::device with the compiler's log. `device` must outlive the filter.
  ClFilter(ClDevice &device, const Chain &, PixelFormat, const ClOptions & = {});
  // Another chain. True when kernels had to be built, which takes time; false when only numbers changed. When
  // it throws, the filter goes on with the chain that it had.
  bool set_chain(const Chain &);
  // Whether set_chain() would need no new kernels.
  bool has_structure_of(const Chain &chain) const { return operations_of(chain, format_).all == operations_; }
  // Device memory.
  void apply(ConstImage in, Image out, Queue &) override;

  std::size_t passes() const { return plan_.size(); }
  const Shape &shape() const { return shape_; }

 private:
  struct Kernels {
    ClProgram program;
    std::vector<ClKernel> passes;
  };
  Plan plan_for(const Chain &, const Pass &, const Shape &);
  Kernels build(const Plan &, const Shape &, bool wide) const;
  void send_numbers(Queue &);

  ClDevice &device_;
  PixelFormat format_;
  ClOptions options_;
  Shape wanted_, shape_; // the latter fits the device's local memory, where any does
  Pass operations_;
  Plan plan_;
  Numbers numbers_;
  bool numbers_sent_ = false;
  DeviceBuffer values_, tables_;
  Kernels kernels_[2]; // [1]: for rows that begin at multiples of 4 bytes
  DeviceBuffer between_[2];
};

} // namespace vigil::filter
