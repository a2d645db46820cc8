// SPDX-License-Identifier: LGPL-2.1-or-later
// Trials of kernels of the user's: the side that asks for one.
#include "common/error.h"
#include "common/opencl/cache.h"
#include "common/opencl/choose.h"
#include "common/opencl/helper.h"
#include "kernels/filter/user.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace vigil::filter {
namespace {

constexpr const char *extension = "kernel";
constexpr const char *signature = "int4 filter(Picture in, int x, int y, float4 p)";
constexpr double longest = 120; // seconds for all of it: the trial's own limits are below

std::string number(float v) {
  char b[32];
  return {b, std::to_chars(b, b + sizeof b, v).ptr};
}

// One stage on frames of one format and size.
class Trial {
 public:
  Trial(const std::string &helper, const Stage &s, PixelFormat format, int width, int height)
      : helper_(helper), stage_(s), format_(format) {
    arguments_ = {s.file, std::to_string(int(format)), std::to_string(width), std::to_string(height)};
    for (const float v : numbers_of(s)) arguments_.push_back(number(v));
  }
  // Everything that the result depends on except for the device.
  std::string key() const {
    std::string k = program_of(stage_, format_);
    for (const std::string &a : arguments_) k += "\n" + a;
    return k;
  }
  // Why the kernel does not pass on this device; empty when it passes. Throws Error::device where nobody can
  // tell.
  std::string refusal(std::size_t device, const char *what) const {
    std::vector<std::string> arguments = {std::to_string(device), what};
    arguments.insert(arguments.end(), arguments_.begin(), arguments_.end());
    const HelperResult r = run_helper(helper_, arguments, program_of(stage_, format_), longest);
    if (r.timed_out) return text("its trial did not end within ", longest, " seconds");
    if (!r.ran)
      fail(Error::Kind::device, "the kernel ", stage_.file, " cannot be tried: ", helper_,
           " does not start, or its end cannot be seen (an application that ignores SIGCHLD)");
    if (r.signal != 0)
      return text("it broke its trial down (signal ", r.signal, ", ", strsignal(r.signal),
                  "), as by reading or writing outside of the picture",
                  r.words.empty() ? "" : ". Last words:\n", r.words);
    if (r.status == 0) return {};
    std::string why = r.words.substr(0, r.words.find_last_not_of('\n') + 1);
    return why.empty() ? text("its trial ended with status ", r.status) : why;
  }
  // Why the kernel must not run on a GPU, found on a processor; empty where there is none that can tell.
  // Whether it compiles, the device's own compiler says. A processor that fails with a kernel that only
  // copies, as some drivers do on some machines, says nothing about this one.
  std::string harm() const {
    const std::vector<ClCandidate> all = cl_candidates();
    const auto is_processor = [](const ClCandidate &c) {
      return (c.type & CL_DEVICE_TYPE_CPU) && c.unusable.empty();
    };
    const auto found = std::find_if(all.begin(), all.end(), is_processor);
    if (found == all.end()) return {};
    const auto processor = std::size_t(found - all.begin());
    const std::string why = refusal(processor, "harm");
    if (why.empty() || !compiles(why)) return {};
    Stage copies = stage_;
    copies.source = text(signature, " { return pixel_at(in, x, y); }\n");
    if (!Trial(helper_, copies, format_, 64, 48).refusal(processor, "harm").empty()) return {};
    return text("it was tried on a processor first (", found->name, ") and not run on the device: ", why);
  }
  static bool compiles(const std::string &why) { return why.find("does not compile") == why.npos; }

 private:
  const std::string &helper_;
  const Stage &stage_;
  PixelFormat format_;
  std::vector<std::string> arguments_; // of the helper, from the file on
};

} // namespace

void try_kernel(const ClDevice &d, const Stage &s, PixelFormat format, int width, int height) {
  const std::string helper = find_own_file({"vigil-cl-try", "kernels", "VIGIL_CL_TRY", X_OK});
  const Trial trial(helper, s, format, width, height);
  const std::string key = text("a trial on ", d.device_name(), "\n", d.text_info(CL_DEVICE_VERSION), "\n",
                               d.driver_version(), "\n", trial.key());
  const FileCache cache(cache_directory("opencl"));
  if (cache.read(key, extension)) return;

  const std::optional<std::size_t> device = number_of(d);
  if (helper.empty() || !device)
    fail(Error::Kind::device, "the kernel ", s.file, " cannot be tried, and is not used without a trial: ",
         helper.empty() ? "the program vigil-cl-try is missing; install all of Vigil, or name it in the "
                          "environment variable VIGIL_CL_TRY"
                        : "the device is not on OpenCL's list");
  std::string why;
  if (!d.is_cpu()) why = trial.harm();
  if (why.empty()) why = trial.refusal(*device, "all");
  if (!why.empty()) {
    // Not every compiler's words show how the function is called.
    if (!Trial::compiles(why) && why.find(signature) == why.npos)
      why += text("\nThe file has to define: ", signature);
    fail(Error::Kind::bad_setting, "the kernel ", s.file, " is refused: ", why);
  }
  cache.write(key, extension, "passed");
}

} // namespace vigil::filter
