// SPDX-License-Identifier: LGPL-2.1-or-later
// What gpufisher puts on a scored frame:
//
//   GstCustomMeta "vigil-fisher", a structure with
//     classes   GstValueArray of gchararray
//     scores    GstValueArray of gdouble, of this frame; positive: more like the class than not
//     smoothed  GstValueArray of gdouble, the median of the last frames' scores, which events are made of
//     active    GstValueArray of gchararray, the classes whose events go on; any number of them may
//     vector    GBytes, with attach-vector only: the Fisher vector, 32-bit floats in the machine's byte order
//   and one GstAnalytics classification with the classes and the confidence_of() their scores, where those
//   exist (GStreamer 1.24).
//
// Without a classifier in the model, the four arrays are empty and there is no classification.
#pragma once

#include "gst/gpufisher/events.h"

#include <gst/gst.h>
#include <string>

namespace vigil::gst::gpufisher {

inline constexpr const char *meta_name = "vigil-fisher";
// Once, before any buffer gets one.
void register_meta();
// Sets the field `active`, as above.
void set_active(GstStructure *, const std::vector<std::string> &classes, const Events &);
// A score of a linear classifier, which has no limits, as a confidence 0..1: the logistic function
// 1 / (1 + exp(-score)). It grows with the score and is 0.5 on the boundary between the class and the rest.
// It is no probability: the classifier is a support vector machine, and nothing relates its scores to
// frequencies.
float confidence_of(float score);
// The buffer must be writable. `vector` may be null.
void add_meta(GstBuffer *, const std::vector<std::string> &classes, std::span<const float> scores,
              const Events &, GBytes *vector);

} // namespace vigil::gst::gpufisher
