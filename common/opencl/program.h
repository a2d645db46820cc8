// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels from .cl files that were embedded at build time. Programs are built once for each device, driver,
// source and options; their binaries are kept in the user's cache directory ("opencl"), see cache.h.
#pragma once

#include "common/opencl/device.h"
#include "common/opencl/trial_launch.h"

#include <array>
#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vigil {

// One file; its text is put after the files before it.
struct ClSource {
  const char *path; // as in the source tree
  const char *text;
};

// Bytes of local memory, as a kernel's argument.
struct ClLocal {
  std::size_t bytes;
};

template <class T>
concept ClArgument = std::same_as<T, cl_mem> || std::same_as<T, ClLocal> || std::integral<T> ||
    std::floating_point<T> || std::same_as<T, cl_int2> || std::same_as<T, cl_int4> ||
    std::same_as<T, cl_float2> || std::same_as<T, cl_float4> || std::same_as<T, cl_float16>;

// One kernel with its arguments; not for several threads at once.
class ClKernel {
 public:
  ClKernel() = default;
  // The first launch is tried in another process where there is a trial.
  ClKernel(cl_program, const char *name, cl_device_id, std::shared_ptr<const ClLaunchTrial> = {});
  explicit operator bool() const { return static_cast<bool>(kernel_); }

  // Sets all arguments and submits. `global` is rounded up to whole work-groups: kernels compare their
  // position with the size that is given. A bool must not be an argument (OpenCL C has none); a count or size
  // that does not fit the kernel's parameters throws Error::device, naming the argument.
  template <ClArgument... Args>
  void launch(ClQueue &queue, ClRange2 global, ClRange2 local, const Args &...args) {
    launch(queue, nullptr, global, local, args...);
  }
  // As above; `event` (may be null) becomes the launch's, for profiling.
  template <ClArgument... Args>
  void launch(ClQueue &queue, ClEventHandle *event, ClRange2 global, ClRange2 local, const Args &...args) {
    static_assert(!(std::same_as<Args, bool> || ...), "OpenCL C has no bool arguments");
    expect_arguments(sizeof...(Args));
    cl_uint i = 0;
    (set(i++, args), ...);
    submit(queue, event, global, local);
  }
  // What the helper of a trial does (trial_launch.h): makes the arguments from their descriptions, launches
  // and waits.
  void launch_alone(ClDevice &, ClRange2 global, ClRange2 local, std::span<char *const> descriptions) const;
  std::size_t largest_group() const; // CL_KERNEL_WORK_GROUP_SIZE on this device

 private:
  template <class T>
  void set(cl_uint i, const T &value) {
    set_bytes(i, sizeof value, &value, ClLaunchArgument::Kind::value);
  }
  void set(cl_uint i, const cl_mem &memory) {
    set_bytes(i, sizeof memory, &memory, ClLaunchArgument::Kind::memory);
  }
  void set(cl_uint i, const ClLocal &local) {
    set_bytes(i, local.bytes, nullptr, ClLaunchArgument::Kind::local);
  }
  void set_bytes(cl_uint i, std::size_t bytes, const void *value, ClLaunchArgument::Kind);
  void expect_arguments(std::size_t count) const;
  void submit(ClQueue &, ClEventHandle *event, ClRange2 global, ClRange2 local);

  ClKernelHandle kernel_;
  std::string name_;
  cl_device_id device_ = nullptr;
  cl_uint arguments_ = 0;
  std::shared_ptr<const ClLaunchTrial> trial_;
  std::vector<ClLaunchArgument> set_;  // as they are, for the trial
  std::optional<ClRange2> tried_with_; // the local size
};

class ClProgram {
 public:
  ClProgram() = default;
  // `options` as clBuildProgram takes them ("-D RADIUS=4"); -cl-std=CL1.2 is added. Throws Error::device with
  // the compiler's log, its places named by file and line of the source tree.
  ClProgram(const ClDevice &, std::initializer_list<ClSource>, const std::string &options = {});
  // As above, for a generated source.
  ClProgram(const ClDevice &, const std::string &name, const std::string &source, const std::string &options);
  explicit operator bool() const { return static_cast<bool>(program_); }

  ClKernel kernel(const char *name) const; // throws Error::device when the program has none of that name
  bool from_cache() const { return from_cache_; }
  // What the cache file is found by.
  const std::string &key() const { return key_; }

 private:
  void build(const ClDevice &, const std::string &name, const std::string &source,
             const std::string &options);
  ClProgramHandle program_;
  cl_device_id device_ = nullptr;
  bool from_cache_ = false;
  std::string key_;
  std::shared_ptr<const ClLaunchTrial> trial_;
};

} // namespace vigil
