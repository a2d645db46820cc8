// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts and measures of a foreground mask against labelled truth. Definitions as in ChangeDetection.net
// (Goyette et al. 2012; Wang et al. 2014).
//
// Labels of the truth: 255 foreground; 0 and 50 (hard shadow) background; every other value, 85 (outside the
// region of interest) and 170 (unknown) among them, is not counted. A pixel of the mask is foreground when it
// is 255; every other value, a shadow's 127 among them, is background.
//
//   recall = tp / (tp + fn)                     F-measure = 2 tp / (2 tp + fp + fn)
//   precision = tp / (tp + fp)                  PWC = 100 (fp + fn) / (tp + fp + fn + tn)
//   specificity = tn / (tn + fp)                false positive rate = fp / (fp + tn) = 1 - specificity
//
// A measure whose denominator is zero is not defined: NaN.
#pragma once

#include "common/plane.h"

#include <cstdint>

namespace vigil::eval {

inline constexpr std::uint8_t label_background = 0, label_shadow = 50, label_outside = 85,
                              label_unknown = 170, label_foreground = 255;
inline constexpr std::uint8_t mask_foreground = 255;

struct Counts {
  std::uint64_t tp = 0, fp = 0, fn = 0, tn = 0;
  std::uint64_t total() const { return tp + fp + fn + tn; }
  Counts &operator+=(const Counts &o) {
    tp += o.tp;
    fp += o.fp;
    fn += o.fn;
    tn += o.tn;
    return *this;
  }
  bool operator==(const Counts &) const = default;
};

struct Measures {
  double recall, precision, specificity, f_measure, pwc, false_positive_rate;
};
Measures measure(const Counts &);

// Counts the pixels of one frame. The planes must be of one size; a `region` without data means everywhere,
// otherwise its zeros are left out. Throws Error::bad_data, with both sizes, when the sizes differ.
Counts score(Plane<const std::uint8_t> mask, Plane<const std::uint8_t> truth,
             Plane<const std::uint8_t> region = {});

} // namespace vigil::eval
