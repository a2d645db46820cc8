// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/filter/tune.h"

#include "common/tuning/trial.h"
#include "kernels/filter/costs.h"
#include "kernels/filter/filter-cl.h"

namespace vigil::filter {

Tuned tune(ClDevice &d, const Chain &chain, PixelFormat format, tuning::Mode mode,
           const tuning::Limits &limits) {
  const std::vector<Shape> all = shapes(d);
  std::vector<tuning::Variant> variants;
  for (const Shape &s : all)
    variants.push_back({s.name(), [&d, &chain, format, s](int, int) -> tuning::Apply {
                          auto filter = std::make_shared<ClFilter>(d, chain, format, ClOptions{.shape = s});
                          return [filter](const ConstImage &in, const Image &out, Queue &q) {
                            filter->apply(in, out, q);
                          };
                        }});
  tuning::Trial trial;
  trial.format = format;
  trial.reference = [&](const ConstImage &in, const Image &out, Queue &q) {
    make_reference(chain, format)->apply(in, out, q);
  };
  std::string stages;
  for (const Stage &s : chain) stages += text(stages.empty() ? "" : " ! ", s.type->name);
  const bool colour = is_colour(format);
  const std::string source =
      text(cl::filter_cl.text, generate(split_all(operations_of(chain, format).all), all.front(), colour));
  const tuning::Key key = tuning::key_for(
      d, "filter", source, text(colour ? "colour" : "grey", is_16_bit(format) ? ", 16 bits" : ""), stages);
  tuning::Result r = tuning::choose(d, key, trial, variants, mode, limits);
  if (mode != tuning::Mode::off) device_costs(d, chain, format, all[r.choice], true);
  return {all[r.choice], std::move(r)};
}

} // namespace vigil::filter
