// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns an actor into shapes on the screen and shadows on the ground.
#pragma once

#include "common/scene/shapes.h"
#include "common/scene/story.h"

namespace vigil::scene {

// `disguise`: the colour of the ground that a camouflaged person wears; null: bright clothes.
void add_person(const Actor &, const Camera &, const Sun &, const Rgb *disguise, Drawing &);
void add_car(const Actor &, const Camera &, const Sun &, Drawing &);
void add_bicycle(const Actor &, const Camera &, const Sun &, Drawing &); // and who rides it
void add_bag(const Actor &, const Camera &, const Sun &, Drawing &);

// The shadow of a capsule, and of the convex hull of points, given in the world.
void add_shadow(const World &a, float radius_a, const World &b, float radius_b, const Camera &, const Sun &,
                Drawing &);
void add_shadow(std::span<const World>, const Camera &, const Sun &, Drawing &);

} // namespace vigil::scene
