// SPDX-License-Identifier: LGPL-2.1-or-later
// Has vigil-train make a codebook of pictures, in a process of its own with the lowest priority and limits of
// time and memory.
#pragma once

#include "kernels/label/examples.h"

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vigil::monitor {

// The model's bytes. `folder` holds the pictures meanwhile, and is gone afterwards. Throws Error::no_device
// when there is no vigil-train, Error::write, Error::bad_data with its words when it fails, takes too long,
// or `ending` becomes true.
std::vector<std::uint8_t> make_codebook(std::span<const label::Picture>, const std::string &folder,
                                        const std::atomic<bool> &ending);

} // namespace vigil::monitor
