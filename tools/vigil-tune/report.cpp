// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report.h"

#include "tools/base/json.h"

#include <cstdio>

namespace vigil::tune {
namespace {

using Outcome = tuning::Row::Outcome;

// What became of a variant, in words.
std::string words(const tuning::Row &row) {
  switch (row.outcome) {
  case Outcome::measured:
    return "verified";
  case Outcome::wrong:
    return "WRONG: " + row.why;
  case Outcome::failed:
    return "failed: " + row.why;
  default:
    return "not tried";
  }
}

} // namespace

void print(const Tuned &t) {
  std::printf("%s: %s   (%.2f s)\n", t.kernel.c_str(), t.what.c_str(), t.result.seconds);
  for (std::size_t i = 0; i < t.result.rows.size(); i++) {
    const tuning::Row &row = t.result.rows[i];
    char ms[32] = "-";
    if (row.outcome == Outcome::measured) std::snprintf(ms, sizeof ms, "%.4f ms", row.ms);
    std::printf("  %c %-36s %12s  %s%s\n", i == t.result.choice ? '*' : ' ', row.name.c_str(), ms,
                words(row).c_str(), i == 0 ? " (default)" : "");
  }
  std::fflush(stdout);
}

void print(const std::vector<Measurement> &all) {
  std::string group;
  for (const Measurement &m : all) {
    if (m.group != group) std::printf("%s\n", m.group.c_str());
    group = m.group;
    if (m.missing.empty())
      std::printf("    %-44s %10.4g %s\n", m.name.c_str(), m.value, m.unit.c_str());
    else
      std::printf("    %-44s not measured: %s\n", m.name.c_str(), m.missing.c_str());
  }
}

std::string json(const ClDevice &d, const std::vector<Tuned> &tuned, const std::vector<Measurement> &micro) {
  tools::JsonWriter w(true);
  w.begin_object().member("device", d.device_name()).member("driver", d.driver_version());
  w.name("kernels").begin_array();
  for (const Tuned &t : tuned) {
    w.begin_object().member("kernel", t.kernel).member("case", t.what);
    w.member("choice", t.result.rows[t.result.choice].name).member("seconds", t.result.seconds);
    w.name("variants").begin_array();
    for (const tuning::Row &row : t.result.rows) {
      w.begin_object().member("name", row.name).member("outcome", tuning::name_of(row.outcome)).name("ms");
      if (row.outcome == Outcome::measured)
        w.value(row.ms);
      else
        w.null();
      if (!row.why.empty()) w.member("why", row.why);
      w.end_object();
    }
    w.end_array().end_object();
  }
  w.end_array().name("microbenchmarks").begin_array();
  for (const Measurement &m : micro) {
    w.begin_object().member("group", m.group).member("name", m.name).name("value");
    if (m.missing.empty())
      w.value(m.value).member("unit", m.unit);
    else
      w.null().member("missing", m.missing);
    w.end_object();
  }
  w.end_array().end_object();
  return w.text();
}

} // namespace vigil::tune
