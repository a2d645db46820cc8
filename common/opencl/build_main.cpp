// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-cl-build DEVICE_NUMBER OPTIONS <SOURCE: compiles a program, to see whether the driver's compiler
// survives it (program.cpp).
// vigil-cl-build DEVICE_NUMBER OPTIONS KERNEL GLOBAL_X GLOBAL_Y LOCAL_X LOCAL_Y ARGUMENT... <SOURCE: launches
// a kernel of it, to see whether the driver survives that (trial_launch.h).
// Exit status: 0 when it compiles, and could be launched, 1 when not.
#include "common/error.h"
#include "common/opencl/program.h"
#include "common/opencl/program_lock.h"
#include "common/opencl/trial_launch.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

int main(int argc, char **argv) {
  using namespace vigil;
  constexpr int first_argument = 8;
  const bool launches = argc >= first_argument;
  if (argc != 3 && !launches) {
    std::fprintf(stderr, "usage: vigil-cl-build DEVICE_NUMBER OPTIONS "
                         "[KERNEL GLOBAL_X GLOBAL_Y LOCAL_X LOCAL_Y ARGUMENT...] <SOURCE\n");
    return 1;
  }
  try {
    setenv("VIGIL_CL_BUILD", "", 1); // all is done here
    if (!launches) ProgramLock::leave_to_parent();
    const std::string source((std::istreambuf_iterator<char>(std::cin)), {});
    const std::vector<ClCandidate> all = cl_candidates();
    ClDevice device(all.at(choose(all, argv[1])));
    const ClProgram program(device, "standard input", source, argv[2]);
    if (!launches) return 0;
    const auto number = [&](int i) { return std::size_t(std::stoul(argv[i])); };
    program.kernel(argv[3]).launch_alone(device, {number(4), number(5)}, {number(6), number(7)},
                                         {argv + first_argument, argv + argc});
    std::fprintf(stderr, "%s", launched);
    return 0;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
