// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/bilateral/opencl.h"

#include <algorithm>

namespace vigil::bilateral {
namespace {

using Kind = Variant::Kind;
// The tuner tries them in this order, and a quick search may not reach the end: the most promising ones come
// first.
constexpr Variant all[] = {
    {"tile-4-low", Kind::tile, 32, 4, 4},
    {"tile-8-low", Kind::tile, 32, 4, 8},
    {"tile-4-unrolled", Kind::tile, 32, 8, 4, true},
    {"tile-4", Kind::tile, 32, 8, 4},
    {"tile-2", Kind::tile, 32, 8, 2},
    {"tile-1", Kind::tile, 32, 8, 1},
    {"image", Kind::image, 32, 8},
    {"image-16x16", Kind::image, 16, 16},
    {"direct", Kind::direct, 32, 8},
    {"direct-precise", Kind::direct, 32, 8, 1, false, false},
    {"tile-4-constant", Kind::tile, 32, 4, 4, true, true, true},
    {"rows", Kind::rows},
};

const Variant &named(const char *name) {
  return *find_variant(name);
}

} // namespace

std::span<const Variant> variants() {
  return all;
}
const Variant *find_variant(const std::string &name) {
  const auto found =
      std::find_if(std::begin(all), std::end(all), [&](const Variant &v) { return v.name == name; });
  return found == std::end(all) ? nullptr : found;
}
const Variant &default_variant(const ClDevice &device) {
  return named(device.is_cpu() ? "rows" : "tile-4-low");
}

} // namespace vigil::bilateral
