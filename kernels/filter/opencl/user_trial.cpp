// SPDX-License-Identifier: LGPL-2.1-or-later
// Trials of kernels of the user's: the side that asks for one.
#include "common/error.h"
#include "common/opencl/cache.h"
#include "common/opencl/helper.h"
#include "kernels/filter/user.h"

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

} // namespace

void try_kernel(const ClDevice &d, const Stage &s, PixelFormat format, int width, int height) {
  const std::string program = program_of(s, format);
  std::vector<std::string> arguments = {s.file, std::to_string(int(format)), std::to_string(width),
                                        std::to_string(height)};
  for (const float v : numbers_of(s)) arguments.push_back(number(v));

  std::string key = text("a trial on ", d.device_name(), "\n", d.text_info(CL_DEVICE_VERSION), "\n",
                         d.driver_version(), "\n", program);
  for (const std::string &a : arguments) key += "\n" + a;
  const FileCache cache(cache_directory("opencl"));
  if (cache.read(key, extension)) return;

  const std::string helper = find_helper("vigil-cl-try", "kernels", "VIGIL_CL_TRY");
  const std::optional<std::size_t> device = number_of(d);
  if (helper.empty() || !device)
    fail(Error::Kind::device, "the kernel ", s.file, " cannot be tried, and is not used without a trial: ",
         helper.empty() ? "the program vigil-cl-try is missing; install all of Vigil, or name it in the "
                          "environment variable VIGIL_CL_TRY"
                        : "the device is not on OpenCL's list");
  arguments.insert(arguments.begin(), std::to_string(*device));
  const HelperResult r = run_helper(helper, arguments, program, longest);
  const auto refuse = [&](const std::string &why) {
    fail(Error::Kind::bad_setting, "the kernel ", s.file, " is refused: ", why);
  };
  if (r.timed_out) refuse(text("its trial did not end within ", longest, " seconds"));
  if (!r.ran)
    fail(Error::Kind::device, "the kernel ", s.file, " cannot be tried: ", helper,
         " does not start, or its end cannot be seen (an application that ignores SIGCHLD)");
  if (r.signal != 0)
    refuse(text("it broke its trial down (signal ", r.signal, ", ", strsignal(r.signal),
                "), as by reading or writing outside of the picture",
                r.words.empty() ? "" : ". Last words:\n", r.words));
  if (r.status != 0) {
    std::string why = r.words.substr(0, r.words.find_last_not_of('\n') + 1);
    // Not every compiler's words show how the function is called.
    if (why.find("does not compile") != why.npos && why.find(signature) == why.npos)
      why += text("\nThe file has to define: ", signature);
    refuse(why);
  }
  cache.write(key, extension, "passed");
}

} // namespace vigil::filter
