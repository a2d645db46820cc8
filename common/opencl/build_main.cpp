// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-cl-build DEVICE_NUMBER OPTIONS <SOURCE: compiles a program, to see whether the driver's compiler
// survives it (trial_build.h). Exit status: 0 when it compiles, 1 when not.
#include "common/error.h"
#include "common/opencl/program.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  using namespace vigil;
  if (argc != 3) {
    std::fprintf(stderr, "usage: vigil-cl-build DEVICE_NUMBER OPTIONS <SOURCE\n");
    return 1;
  }
  try {
    setenv("VIGIL_CL_BUILD", "", 1); // it compiles here
    const std::string source((std::istreambuf_iterator<char>(std::cin)), {});
    const std::vector<ClCandidate> all = cl_candidates();
    const ClDevice device(all.at(choose(all, argv[1])));
    const ClProgram program(device, "standard input", source, argv[2]);
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
