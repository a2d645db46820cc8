// SPDX-License-Identifier: LGPL-2.1-or-later
// The steps by which the two papers (mog.h) made their kernels fast, to be measured one after another:
// tests/bench. No element uses them.
//
// Paper A, method mog on luma, every step in double and single precision and for 3 and 5 components:
//   A direct translation: array of structures, branches, components ranked and sorted; copies wait for
//   kernels B coalesced: structure of arrays
//   C overlapped: page-locked memory, two streams, double buffering
//   D no sorting      E predicated update      F fewer registers: the difference is not kept
//   W windowed: groups of 8 frames with the state in shared memory
// Paper B, method zivkovic on colour, 5 components, single precision:
//   1 parameters in constant memory (where CUDA puts a kernel's parameters), array of structures, 3 bytes a
//   pixel 2 coalesced input: 4 bytes a pixel
//   3 structure of arrays, page-locked memory
//   4 asynchronous: two streams, double buffering
// `serial` is the same algorithm, step A or 1, in one thread of the CPU.
//
// The formulas are those of mog.h. A's own test at the end (weight and difference, line 24 of its algorithm
// 1) is made with the component's match, as mog.h says.
#pragma once

#include "kernels/mog/mog.h"

namespace vigil::mog {

enum class Rung { serial, a, b, c, d, e, f, w, serial_b, b1, b2, b3, b4 };
inline constexpr int window = 8; // frames in a group of Rung::w
constexpr bool is_paper_a(Rung r) {
  return r <= Rung::w;
}
constexpr int bytes_a_pixel(Rung r) { // of its input
  return is_paper_a(r) ? 1 : r == Rung::b1 || r == Rung::serial_b ? 3 : 4;
}

// Whether its host memory should be page-locked (Device::allocate_host).
constexpr bool page_locked(Rung r) {
  return (r >= Rung::c && r <= Rung::w) || r >= Rung::b3;
}

struct LadderConfig {
  Rung rung = Rung::serial;
  bool in_double = true; // precision; paper B's steps are in single precision
  int components = 3;    // paper A: 3 or 5; paper B: 5
  int width = 0, height = 0;
};

class Ladder {
 public:
  virtual ~Ladder() = default;
  // Learns frames of tightly packed rows in the order given, host memory to host memory; returns when all
  // masks are written. The number of frames is a multiple of `window` for Rung::w.
  virtual void run(std::span<const std::uint8_t *const> frames, std::span<std::uint8_t *const> masks,
                   const Params &) = 0;
  // The mean time of one frame's kernel over frames that are in the device's memory already; 0 for serial
  // rungs.
  virtual double kernel_milliseconds(std::span<const std::uint8_t *const> frames, const Params &) = 0;
  // The means of the heaviest components: luma, or R G B.
  virtual std::vector<std::uint8_t> background() = 0;
};

// Throws Error::bad_setting for a config that is not listed above. `device` is a CUDA device, also for serial
// rungs.
std::unique_ptr<Ladder> make_ladder(Device &device, const LadderConfig &);

} // namespace vigil::mog
