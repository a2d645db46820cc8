// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-tune: finds the kernels' best variants ahead of time, and measures the device.
#include "common/opencl/cache.h"
#include "micro_apart.h"
#include "options.h"
#include "report.h"

#include "common/error.h"

#include <clocale>
#include <cstdio>
#include <filesystem>

namespace vigil::tune {
namespace {

constexpr int failed = 1, wrong_arguments = 2, no_variant = 3;

void clear() {
  const std::string directory = cache_directory("tuning");
  std::error_code error;
  const auto removed = directory.empty() ? 0 : std::filesystem::remove_all(directory, error);
  if (error) fail(Error::Kind::io, directory, " cannot be removed: ", error.message());
  std::printf("%s\n", removed > 0 ? text(directory, " is removed").c_str() : "there was nothing to forget");
}

int run(const Options &o) {
  std::vector<Tunable> all = tunables(o.chains); // refuses a chain before anything else is done
  if (o.list) {
    const auto candidates = cl_candidates();
    if (candidates.empty()) choose(candidates, ""); // throws what to install
    std::printf("%s\n", list_of(candidates).c_str());
    return 0;
  }
  if (o.clear) {
    clear();
    return 0;
  }
  const auto device = open_cl(o.device);
  if (!o.measure_into.empty()) {
    microbenchmarks_into(o.measure_into, *device, o.first_group);
    return 0;
  }
  if (!o.json) std::printf("%s\n\n", device->name().c_str());
  std::erase_if(all, [&](const Tunable &t) { return !o.tune || (!o.only.empty() && t.kernel != o.only); });
  std::vector<Tuned> tuned;
  int status = 0;
  for (const Tunable &t : all) {
    // All variants, whatever was stored; quick or not decides how long each is measured.
    const tuning::Limits limits{.seconds = 1e9, .again = true};
    tuned.push_back(
        {t.kernel, t.what,
         t.run(*device, o.exhaustive ? tuning::Mode::exhaustive : tuning::Mode::automatic, limits)});
    const tuning::Result &r = tuned.back().result;
    if (r.rows[r.choice].outcome != tuning::Row::Outcome::measured) status = no_variant;
    if (!o.json) print(tuned.back());
  }
  std::vector<Measurement> micro;
  if (o.micro) micro = microbenchmarks_apart(*device);
  if (o.json)
    std::printf("%s\n", json(*device, tuned, micro).c_str());
  else if (o.micro) {
    std::printf("\n");
    print(micro);
  }
  return status;
}

int main(int argc, char **argv) {
  int status = wrong_arguments;
  try {
    std::setlocale(LC_ALL, "");
    std::setlocale(LC_NUMERIC, "C"); // programs read the output too
    const Options o = parse_options(argc, argv);
    status = failed;
    return run(o);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "vigil-tune: %s\n", e.what());
    return status;
  }
}

} // namespace
} // namespace vigil::tune

int main(int argc, char **argv) {
  return vigil::tune::main(argc, argv);
}
