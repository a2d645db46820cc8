// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tunables.h"

#include "common/error.h"
#include "kernels/bilateral/tune.h"
#include "kernels/filter/tune.h"

namespace vigil::tune {

std::vector<Tunable> tunables(const std::vector<std::string> &more) {
  std::vector<Tunable> all;
  for (const PixelFormat format : {PixelFormat::rgba, PixelFormat::gray8})
    for (const bilateral::Weighting weighting :
         {bilateral::Weighting::intensity, bilateral::Weighting::channels})
      for (const int radius : {2, 4, 8, 12, 20}) {
        const bool colour = format == PixelFormat::rgba;
        // A single channel is weighted in one way only, whose name is in the key for colour alone.
        if (!colour && weighting == bilateral::Weighting::channels) continue;
        bilateral::Params p;
        p.radius = radius;
        p.spatial_sigma = float(radius) / 2;
        p.weighting = weighting;
        p.algorithm = bilateral::Algorithm::exact;
        all.push_back(
            {"bilateral",
             text("radius ", radius, colour ? ", RGBA, " : ", GRAY8", colour ? name_of(weighting) : ""),
             [format, p](ClDevice &d, tuning::Mode m, const tuning::Limits &l) {
               return bilateral::tune(d, format, p, m, l).result;
             }});
      }
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
