// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-eval --tracks: scores files of tracks against a file of true ones, as a table and as JSON.
#pragma once

#include "options.h"

namespace vigil::eval {

// Throws as read_mot() does.
void evaluate_tracks(const Options &);

} // namespace vigil::eval
