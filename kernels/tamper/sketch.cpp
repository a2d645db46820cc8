// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/tamper/sketch.h"

#include <cstddef>

namespace vigil::tamper {

void sketch(const Layout &l, std::span<const Spot> spots, const Sketch &before, Sketch &out) {
  out.layout = l;
  for (std::vector<float> *v : {&out.mean, &out.across, &out.down, &out.energy, &out.lasting})
    v->resize(spots.size());
  const bool first = before.layout != l;
  const float samples = float(l.samples());
  for (std::size_t i = 0; i < spots.size(); i++) {
    out.mean[i] = float(spots[i].sum) / samples;
    out.across[i] = float(spots[i].across);
    out.down[i] = float(spots[i].down);
    out.energy[i] = out.across[i] * out.across[i] + out.down[i] * out.down[i];
    out.lasting[i] = first ? out.energy[i] : out.across[i] * before.across[i] + out.down[i] * before.down[i];
  }
}

void blend(Sketch &known, const Sketch &frame, float share) {
  const auto mix = [share](std::vector<float> &to, const std::vector<float> &from) {
    for (std::size_t i = 0; i < to.size(); i++) to[i] += share * (from[i] - to[i]);
  };
  mix(known.mean, frame.mean);
  mix(known.across, frame.across);
  mix(known.down, frame.down);
  mix(known.energy, frame.energy);
  mix(known.lasting, frame.lasting);
}

} // namespace vigil::tamper
