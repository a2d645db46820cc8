// SPDX-License-Identifier: LGPL-2.1-or-later
// What one target of this folder gives: replay.cpp makes an ordinary test of it, libfuzzer.cpp a program for
// libFuzzer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vigil::fuzz {

using Bytes = std::vector<std::uint8_t>;

// Small files that the reader takes, of every kind it knows.
std::vector<Bytes> seeds();
// Gives the bytes to the reader; true when it takes them. A refusal is an Error, which is caught here;
// anything else that a reader may not do ends the program.
bool read(std::span<const std::uint8_t>);

} // namespace vigil::fuzz
