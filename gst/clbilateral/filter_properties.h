// SPDX-License-Identifier: LGPL-2.1-or-later
// The properties of the bilateral filter itself, for the elements that run it.
#pragma once

#include "gst/properties.h"
#include "kernels/bilateral/bilateral.h"

namespace vigil::gst::clbilateral {

GType weighting_type();
GType algorithm_type();

template <class S>
void add_filter(Properties<S> &p, bilateral::Params S::*params) {
  p.table(params, bilateral::params_table, Change::live);
  p.choice("weighting", "Weighting",
           "Values that the range weight compares; for formats with one channel there is no difference",
           weighting_type(), params, &bilateral::Params::weighting, Change::live);
  p.choice("algorithm", "Algorithm", "Method of the computation", algorithm_type(), params,
           &bilateral::Params::algorithm, Change::live);
}

} // namespace vigil::gst::clbilateral
