// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/check/checker.h"

#include "common/device.h"
#include "common/error.h"
#include "tools/base/json.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace {

using namespace vigil;
using namespace vigil::check;

constexpr const char *usage =
    "gpucheck [--list] [--test NAME] [--backend cpu|cuda|gl|opencl] [--device NAME] [--seed N] [--bench] "
    "[--json FILE]\n"
    "  Checks every backend of every kernel against its double precision reference on random input.\n"
    "  --test     only cases whose name starts with NAME\n"
    "  --backend  only this one; it is then an error when it is missing\n"
    "  --device   the OpenCL device: its number or a part of its name; es: OpenGL ES for backend gl\n"
    "  --seed     another seed gives other input; a failure names the seed that shows it\n"
    "  --bench    times the backends as well\n"
    "  --json     writes results and times to FILE\n";

constexpr Backend backends[] = {Backend::cpu, Backend::cuda, Backend::gl, Backend::opencl};

struct Options {
  std::string test, backend, device, json;
  std::uint64_t seed = 1;
  bool list = false, bench = false;
};

Options parse(int argc, char **argv) {
  Options o;
  for (int i = 1; i < argc; i++) {
    const std::string a = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) fail(Error::Kind::bad_setting, a, " needs a value\n", usage);
      return argv[++i];
    };
    if (a == "--list")
      o.list = true;
    else if (a == "--bench")
      o.bench = true;
    else if (a == "--test")
      o.test = value();
    else if (a == "--backend")
      o.backend = value();
    else if (a == "--device")
      o.device = value();
    else if (a == "--json")
      o.json = value();
    else if (a == "--seed")
      o.seed = std::stoull(value());
    else if (a == "--help" || a == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else
      fail(Error::Kind::bad_setting, "what is ", a, "?\n", usage);
  }
  const auto known = [&](Backend b) { return o.backend == name_of(b); };
  if (!o.backend.empty() && std::none_of(std::begin(backends), std::end(backends), known))
    fail(Error::Kind::bad_setting, "--backend is cpu, cuda, gl or opencl, not ", o.backend);
  return o;
}

struct Result {
  std::string test, backend, outcome;
};

void write_json(const Options &o, const std::vector<Result> &results, const std::vector<Timing> &timings) {
  tools::JsonWriter json(true);
  json.begin_object().member("seed", o.seed).name("results").begin_array();
  for (const Result &r : results)
    json.begin_object()
        .member("test", r.test)
        .member("backend", r.backend)
        .member("outcome", r.outcome)
        .end_object();
  json.end_array().name("timings").begin_array();
  for (const Timing &t : timings)
    json.begin_object()
        .member("test", t.test)
        .member("backend", t.backend)
        .member("label", t.label)
        .member("median_ms", t.median_ms)
        .member("low_ms", t.low_ms)
        .member("high_ms", t.high_ms)
        .member("pixels", t.pixels)
        .member("runs", t.runs)
        .end_object();
  json.end_array().end_object();
  json.save(o.json);
}

int run(const Options &o) {
  if (o.list) {
    for (const Case &c : cases()) std::printf("%s\n", c.name);
    return 0;
  }
  int passed = 0, failed = 0, skipped = 0;
  std::vector<Result> results;
  std::vector<Timing> timings;
  for (const Backend backend : backends) {
    if (!o.backend.empty() && o.backend != name_of(backend)) continue;
    std::unique_ptr<Device> device;
    try {
      device = backend == Backend::opencl                   ? open_opencl(o.device)
               : backend == Backend::gl && o.device == "es" ? open_gl_es()
                                                            : open_device(backend);
    } catch (const Error &e) {
      if (!o.backend.empty()) throw;
      std::printf("SKIPPED: backend %s: %s\n", name_of(backend), e.what());
      skipped++;
      continue;
    }
    std::printf("%s: %s, seed %llu\n", name_of(backend), device->name().c_str(), (unsigned long long)o.seed);
    for (const Case &c : cases()) {
      if (!std::string_view(c.name).starts_with(o.test)) continue;
      if (std::find(c.backends.begin(), c.backends.end(), backend) == c.backends.end()) continue;
      std::string outcome;
      try {
        Checker checker(*device, o.seed, c.name, o.bench, timings);
        c.run(checker);
        outcome = checker.failures ? "failed" : "passed";
      } catch (const Skip &s) {
        outcome = "skipped";
        std::printf("  SKIPPED: %s: %s\n", c.name, s.why.c_str());
      } catch (const std::exception &e) {
        outcome = "failed";
        std::printf("    %s: %s\n", c.name, e.what());
      }
      std::printf("  %-8s %s\n", outcome.c_str(), c.name);
      std::fflush(stdout);
      (outcome == "passed" ? passed : outcome == "failed" ? failed : skipped)++;
      results.push_back({c.name, name_of(backend), outcome});
    }
  }
  if (!o.json.empty()) write_json(o, results, timings);
  if (passed + failed == 0) {
    std::printf("no test was run\n");
    return 2;
  }
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception &e) {
    std::fprintf(stderr, "gpucheck: %s\n", e.what());
    return 2;
  }
}
