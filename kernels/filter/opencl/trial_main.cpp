// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-cl-try DEVICE_NUMBER all|harm FILE FORMAT WIDTH HEIGHT P0 P1 P2 P3 <PROGRAM: tries a kernel of the
// user's (user.h, TrialFor). FORMAT is PixelFormat's number. Exit status: 0 when it passed, else 1 with the
// reason on standard error.
#include "common/error.h"
#include "kernels/filter/user.h"

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace {

using namespace vigil;

template <class T>
T number(const char *word) {
  T v{};
  const char *end = word + std::strlen(word);
  const auto r = std::from_chars(word, end, v);
  if (r.ec != std::errc() || r.ptr != end) fail(Error::Kind::bad_setting, "\"", word, "\" is no number");
  return v;
}

} // namespace

int main(int argc, char **argv) {
  const std::string_view what = argc == 11 ? argv[2] : "";
  if (what != "all" && what != "harm") {
    std::fprintf(
        stderr, "usage: vigil-cl-try DEVICE_NUMBER all|harm FILE FORMAT WIDTH HEIGHT P0 P1 P2 P3 <PROGRAM\n");
    return 1;
  }
  try {
    setenv("VIGIL_CL_BUILD", "", 1); // it compiles here
    if (what == "all")
      filter::limit_trial(60, "its compilation takes longer than 60 seconds\n");
    else
      filter::limit_trial(60, "", 0); // another device compiles it yet
    const std::string program((std::istreambuf_iterator<char>(std::cin)), {});
    const std::vector<ClCandidate> all = cl_candidates();
    ClDevice device(all.at(choose(all, argv[1])));
    filter::run_trial(
        device, argv[3], program, PixelFormat(number<int>(argv[4])), number<int>(argv[5]),
        number<int>(argv[6]),
        {number<float>(argv[7]), number<float>(argv[8]), number<float>(argv[9]), number<float>(argv[10])},
        what == "all" ? filter::TrialFor::all : filter::TrialFor::harm);
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
