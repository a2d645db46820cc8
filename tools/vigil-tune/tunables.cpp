// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tunables.h"

#include "kernels/filter/tune.h"

namespace vigil::tune {

std::vector<Tunable> tunables(const std::vector<std::string> &more) {
  std::vector<Tunable> all;
  std::vector<std::string> chains = {
      "gaussian sigma=2 ! grayscale ! sharpen amount=0.5",
      "brightness amount=0.1 ! saturation amount=1.3 ! contrast amount=1.2",
      "median ! sharpen amount=0.5",
  };
  chains.insert(chains.end(), more.begin(), more.end());
  for (const std::string &text : chains) {
    const filter::Chain chain = filter::parse(text);
    all.push_back({"filter", text + ", RGBA", [chain](ClDevice &d, tuning::Mode m, const tuning::Limits &l) {
                     return filter::tune(d, chain, PixelFormat::rgba, m, l).result;
                   }});
  }
  return all;
}

} // namespace vigil::tune
