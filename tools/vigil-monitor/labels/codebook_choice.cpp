// SPDX-License-Identifier: LGPL-2.1-or-later
#include "codebook_choice.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace vigil::monitor {
namespace {

using Accuracies = std::map<std::pair<std::string, std::string>, double>; // by label and camera; "": all

Accuracies accuracies_of(std::span<const label::Example> examples) {
  Accuracies out;
  const label::Classifier learnt(examples);
  for (const label::NameReport &r : learnt.report()) {
    if (!std::isnan(r.accuracy)) out[{r.name, ""}] = r.accuracy;
    for (const auto &[camera, of] : r.places)
      if (!std::isnan(of.accuracy)) out[{r.name, camera}] = of.accuracy;
  }
  return out;
}

double mean_of(const Accuracies &all) {
  double sum = 0;
  for (const auto &[place, accuracy] : all) sum += accuracy;
  return all.empty() ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(all.size());
}

} // namespace

CodebookChoice choose_codebook(std::span<const label::Example> before, std::span<const label::Example> after,
                               bool is_first) {
  constexpr double gain = 0.02, loss = 0.01, rounding = 1e-9;
  const Accuracies old = accuracies_of(before), fresh = accuracies_of(after);
  CodebookChoice out{mean_of(old), mean_of(fresh)};
  bool falls = false;
  for (const auto &[place, accuracy] : old) {
    const auto now = fresh.find(place);
    falls = falls || now == fresh.end() || now->second < accuracy - loss - rounding;
  }
  out.takes = !falls && out.after >= out.before + (is_first ? gain : 0) - rounding; // not where one is NaN
  return out;
}

} // namespace vigil::monitor
