// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/opencl/trial_build.h"

#include "common/error.h"
#include "common/opencl/cache.h"
#include "common/opencl/helper.h"

#include <cstring>
#include <optional>
#include <string>

namespace vigil {
namespace {

constexpr const char *tried_extension = "tried";
constexpr double longest_build = 24 * 3600; // seconds: a compiler is slow, but comes to an end

} // namespace

bool try_build_elsewhere(const ClDevice &d, const std::string &name, const std::string &source,
                         const std::string &options) {
  const FileCache cache(cache_directory("opencl"));
  const std::string key =
      text(d.device_name(), "\n", d.text_info(CL_DEVICE_VERSION), "\n", d.driver_version(), "\n", source);
  if (cache.read(key, tried_extension)) return false;
  const std::string path = find_own_file(cl_build_helper);
  const std::optional<std::size_t> number = number_of(d);
  if (path.empty() || !number) return false;
  const std::string arguments[] = {std::to_string(*number), options};
  const HelperResult r = run_helper(path, arguments, source, longest_build);
  if (r.signal != 0)
    fail(Error::Kind::device, "the OpenCL compiler of ", d.name(), " broke down while it compiled ", name,
         options.empty() ? "" : " with ", options, " (signal ", r.signal, ", ", strsignal(r.signal),
         "). Use another device (property device) or another version of the driver. Its last words:\n",
         r.words);
  cache.write(key, tried_extension, "1");
  return true;
}

} // namespace vigil
