// SPDX-License-Identifier: LGPL-2.1-or-later
// The property `tune` of elements whose kernels have variants.
#pragma once

#include "common/tuning/tuner.h"
#include "gst/properties.h"

#include <mutex>
#include <string>

namespace vigil::gst {

inline GType cl_tune_type() {
  using tuning::Mode;
  static const GEnumValue values[] = {
      {int(Mode::automatic), "The stored result; else a search of about 1.5 seconds at the start", "auto"},
      {int(Mode::off), "The default variant, without a search", "off"},
      {int(Mode::exhaustive),
       "The stored result of an exhaustive search; else such a search at the start, however long",
       "exhaustive"},
      {}};
  static const GType type = enum_type("VigilClTune", values);
  return type;
}

template <class S>
void add_tune(Properties<S> &p, tuning::Mode S::*field) {
  p.choice("tune", "Tune",
           "How the variant of the kernels is chosen. Results are kept for the device, its driver and the "
           "kernels; vigil-tune finds them ahead of time",
           cl_tune_type(), field, Change::ready);
}

// What `stats` of these elements reports about it: variant; tuning: "searched" at this start, "stored" by an
// earlier one, or "default" when neither; and the seconds that a search took. Any thread.
class TuningStats {
 public:
  void set(const std::string &variant, const tuning::Result &result) {
    const std::lock_guard lock(mutex_);
    variant_ = variant;
    result_ = result;
  }
  void add(GstStructure *s) const {
    const std::lock_guard lock(mutex_);
    const char *tuning = result_.searched ? "searched" : result_.stored ? "stored" : "default";
    gst_structure_set(s, "variant", G_TYPE_STRING, variant_.c_str(), "tuning", G_TYPE_STRING, tuning,
                      "tuning-seconds", G_TYPE_DOUBLE, result_.seconds, nullptr);
  }

 private:
  mutable std::mutex mutex_;
  std::string variant_;
  tuning::Result result_{};
};

} // namespace vigil::gst
