// SPDX-License-Identifier: LGPL-2.1-or-later
// The instruction sets that Highway's loops are compiled for. Include this before Highway's headers. At run
// time the best of them that the processor has is chosen.
//
// On x86 these are AVX-512, AVX2, SSE4, and the least that the compiler may use. Each further set costs as
// much time to compile, and its loops would be the same: SSSE3 lacks only instructions that our loops do not
// use, and so do the sets above AVX-512's first. Built with -Dcpu-targets=native, only the best set of the
// build machine and the least are compiled; results on that machine are the same.
//
// Vectors whose size is known at run time only (SVE, RISC-V) cannot be members or elements of arrays, which
// our loops need.
#pragma once

#include "vigil-cpu-target.h"

// Highway numbers the sets of x86 by bits, the better the lower: 0 to 7 are above AVX-512's first, 8 to 13
// between it and the least.
#ifdef VIGIL_CPU_TARGET
#define VIGIL_DISABLED_X86_TARGETS (0x3fffLL & ~VIGIL_CPU_TARGET)
#else
#define VIGIL_DISABLED_X86_TARGETS (0xffLL | HWY_SSSE3)
#endif
#define HWY_DISABLED_TARGETS                                                                                 \
  (VIGIL_DISABLED_X86_TARGETS | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
