// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels of the user's in a chain: user kernel=FILE.cl [p0=..] [p1=..] [p2=..] [p3=..].
//
// The file is OpenCL C 1.2 and defines
//
//   int4 filter(Picture in, int x, int y, float4 p)
//
// which is called once for each pixel of the result and gives its R, G, B in x, y, z; the stage stores them
// clamped to 0..FULL, which is 255, or 65535 in
// formats of 16 bits, and copies alpha, whatever w is. `in` is the picture that the stage before stored:
//
//   int4 pixel_at(in, x, y)   R, G, B, A of the pixel there, 0..FULL, whatever the format; of the nearest
//                             pixel where (x, y) is outside. Grey: R = G = B, A = FULL, and x is stored
//   in.width, in.height       pixels
//
// p has the stage's numbers p0 to p3. Nothing else is the kernel's: `in` may be read by pixel_at() alone and
// nothing may be written, so that its result depends on nothing but `in`, x, y and p. The calls come in any
// order and any number of them at once.
//
// A kernel is tried in a process of its own before it is used: a kernel that never ends cannot be ended
// otherwise, as OpenCL has no call for that, and one that writes where it likes may end its process. The
// trial fails a kernel that
//   does not compile
//   breaks the compiler or its process down
//   takes longer than trial_seconds for all of the pictures
//   changes a byte around the pictures, or the picture that it reads (those have guard zones)
//   gives another picture when it is run again. Between the runs change: what is around the picture, where it
//   is in memory, and the shape of work-groups.
// The pictures are noise of several sizes, the one that frames have among them, with the numbers set. A trial
// is no proof: another picture may still take another way through the kernel.
//
// A kernel that does harm on a GPU may harm other processes that use this GPU. So where the device is no
// processor and OpenCL has one, a kernel that breaks its trial down, never ends or writes outside is refused
// by a trial on the processor, and is not run on the device at all.
#pragma once

#include "common/opencl/program.h"
#include "kernels/filter/filter.h"

#include <array>
#include <string>

namespace vigil::filter {

inline constexpr double trial_seconds = 5;             // for running; waiting time of all runs together
inline constexpr std::size_t longest_source = 1 << 18; // bytes

// Reads the files of the chain's `user` stages into Stage::source. Throws Error::io, or Error::bad_data for
// what is no text of at most longest_source bytes.
void load_kernels(Chain &);
bool has_kernels(const Chain &); // of the user's

// Tries the kernel of a stage, whose source is loaded, for pictures of this format and size, on a processor
// first and then on this device. Throws Error::bad_setting with the reason, the file and (for what does not
// compile) the line; Error::device where the trial itself was not possible. What passed is remembered in the
// cache of programs, by everything that it depends on.
void try_kernel(const ClDevice &, const Stage &, PixelFormat, int width, int height);

// The numbers of a stage as the kernel gets them.
std::array<float, 4> numbers_of(const Stage &);

// One kernel on its device.
class ClUserKernel final : public Filter {
 public:
  // `program` from program_of(). The work-group {0, 0} is the usual one.
  ClUserKernel(ClDevice &, const std::string &name, const std::string &program, PixelFormat,
               const std::array<float, 4> &numbers, ClRange2 group = {0, 0});
  void set_numbers(const std::array<float, 4> &n) { numbers_ = n; }
  // Lets drivers that compile at the first launch do so, without a call of the user's function.
  void warm(Queue &);
  void apply(ConstImage in, Image out, Queue &) override; // device memory

 private:
  ClDevice &device_;
  PixelFormat format_;
  ClRange2 group_;
  ClKernel kernel_;
  std::array<float, 4> numbers_;
};
// The user's source and what is around it.
std::string program_of(const Stage &, PixelFormat);

// One row of pixels, or nearly so: what neighbours read is read once.
inline constexpr ClRange2 usual_group{32, 4};
// A picture size that each trial has in addition to the frames'.
inline constexpr int trial_width = 67, trial_height = 43;

// What the process of a trial does: throws as try_kernel() does, except for what ends the process.
// limit_trial() ends it with these words and this status after so many seconds from now, unless it is called
// again; 0: never. `words` stay.
void limit_trial(unsigned seconds, const char *words, int status = 1);
// What is looked for: all that is said above; or, before a trial on another device, harm alone. Then results
// may differ from run to run, as compilers round differently, and a picture of the frames' size may take
// longer than a processor gets: the time ends the process with status 0.
enum class TrialFor { all, harm };
void run_trial(ClDevice &, const std::string &name, const std::string &program, PixelFormat, int width,
               int height, const std::array<float, 4> &numbers, TrialFor);

} // namespace vigil::filter
