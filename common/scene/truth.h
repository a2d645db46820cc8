// SPDX-License-Identifier: LGPL-2.1-or-later
// The truth about actors, in addition to that about pixels.
#pragma once

#include "common/scene/story.h"

#include <vector>

namespace vigil::scene {

Kind kind_of(const Actor &);
int id_of(const Actor &);
// In a picture of this size.
std::vector<Incident> incidents_between(std::vector<Actor> before, std::vector<Actor> now, const Camera &,
                                        int width, int height);

} // namespace vigil::scene
