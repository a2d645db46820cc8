// SPDX-License-Identifier: LGPL-2.1-or-later
// A kernel's first launch in another process. OpenCL drivers for processors compile a kernel for its
// work-group only when it is launched, and some end the process there: PoCL 6 did it for kernels whose
// functions it could not find. The helper program vigil-cl-build launches the kernel as it is about to be
// launched, on memory that is full of zeros: if that ends the helper, the element has an error, and the
// program that it runs in goes on.
#pragma once

#include "common/opencl/device.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace vigil {

// Work-items in x and y. As a local size {0, 0} lets OpenCL choose.
struct ClRange2 {
  std::size_t x = 0, y = 1;
  bool operator==(const ClRange2 &) const = default;
};

// An argument as it was set.
class ClLaunchArgument {
 public:
  enum class Kind { value, memory, local };
  ClLaunchArgument() = default;
  ClLaunchArgument(Kind, std::size_t bytes, const void *value);
  std::string description() const; // as vigil-cl-build takes it

 private:
  Kind kind_ = Kind::value;
  std::size_t bytes_ = 0;
  std::array<unsigned char, sizeof(cl_float16)> value_{};
};

// For the kernels of one program on one device.
class ClLaunchTrial {
 public:
  // Null for devices that are no processor, whose drivers compile all when the program is built, and where
  // there is no helper.
  static std::shared_ptr<const ClLaunchTrial> of(const ClDevice &, const std::string &program,
                                                 const std::string &source, const std::string &options);
  // Throws Error::device, with the driver's last words, when it ended the helper. Once for each source,
  // options, kernel, local size, device and driver, as a file next to the cache of programs remembers.
  void launch(const std::string &kernel, ClRange2 global, ClRange2 local,
              std::span<const ClLaunchArgument>) const;

 private:
  std::string helper_, device_number_, device_name_, program_, source_, options_, key_;
};

// What the helper does: makes the arguments from their descriptions, and launches.
void launch_alone(ClDevice &, cl_kernel, ClRange2 global, ClRange2 local,
                  std::span<char *const> descriptions);

// The last that the helper says when the driver survived.
inline constexpr const char *launched = "launched\n";

} // namespace vigil
