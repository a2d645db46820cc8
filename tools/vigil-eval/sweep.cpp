// SPDX-License-Identifier: LGPL-2.1-or-later
#include "sweep.h"

#include "common/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>

namespace vigil::eval {

namespace {

template <class T>
std::optional<T> parse_whole(const std::string &s) {
  T v{};
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (error != std::errc{} || end != s.data() + s.size()) return {};
  return v;
}

[[noreturn]] void refuse(const std::string &words, const std::string &why) {
  fail(Error::Kind::bad_setting, "--sweep ", words, ": ", why,
       "; an example is learning-rate=0.0005..0.1:12:log");
}

// Six digits: 0.01 rather than 0.0099999999999999985 in the tables, and the ends as they were given.
double short_number(double v) {
  char words[32];
  const auto end = std::to_chars(words, words + sizeof words, v, std::chars_format::general, 6).ptr;
  std::from_chars(words, end, v);
  return v;
}

} // namespace

Sweep parse_sweep(const std::string &words) {
  const std::size_t equals = words.find('='), dots = words.find("..");
  if (equals == std::string::npos || equals == 0 || dots == std::string::npos || dots < equals)
    refuse(words, "it is not PROPERTY=LOW..HIGH");
  std::vector<std::string> parts; // HIGH and what follows
  for (std::size_t at = dots + 2; at <= words.size();) {
    const std::size_t end = std::min(words.find(':', at), words.size());
    parts.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  const auto low = parse_whole<double>(words.substr(equals + 1, dots - equals - 1));
  const auto high = parse_whole<double>(parts[0]);
  if (!low || !high || !std::isfinite(*low) || !std::isfinite(*high) || *low >= *high)
    refuse(words, "LOW and HIGH must be numbers, the first below the second");

  int steps = 12;
  bool logarithmic = true;
  for (std::size_t i = 1; i < parts.size(); i++) {
    constexpr int most = 1000;
    if (parts[i] == "log" || parts[i] == "lin")
      logarithmic = parts[i] == "log";
    else if (const auto n = parse_whole<int>(parts[i]); n && *n >= 2 && *n <= most)
      steps = *n;
    else
      refuse(words, "\"" + parts[i] + "\" is neither log, lin nor a number of steps from 2 to 1000");
  }
  if (logarithmic && *low <= 0)
    refuse(words, "equal ratios need a LOW above 0; append :lin for equal distances");

  Sweep sweep{words.substr(0, equals), {}};
  for (int i = 0; i < steps; i++) {
    const double t = static_cast<double>(i) / (steps - 1);
    const double v = logarithmic ? *low * std::pow(*high / *low, t) : *low + (*high - *low) * t;
    sweep.values.push_back(short_number(v));
  }
  return sweep;
}

void round_to_integers(Sweep &sweep) {
  for (double &v : sweep.values) v = std::round(v);
  sweep.values.erase(std::unique(sweep.values.begin(), sweep.values.end()), sweep.values.end());
}

} // namespace vigil::eval
