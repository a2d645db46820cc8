// SPDX-License-Identifier: LGPL-2.1-or-later
// The picture of one track that names are learnt from: its surroundings, as luma.
#pragma once

#include "common/plane.h"
#include "kernels/track/box.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vigil::label {

inline constexpr std::size_t picture_side = 64, picture_bytes = picture_side * picture_side;
using Picture = std::vector<std::uint8_t>; // luma, row by row; empty: there is none

// Whole pixels of a picture.
struct Part {
  int x = 0, y = 0, width = 0, height = 0;
};

// What is cut out around a box: a square of 1.4 times its longer side, moved into the picture and no larger
// than that, at least 32 pixels on each side as far as the picture is so large. All numbers are even, as
// planes of colour need it.
Part part_around(const track::Box &, int width, int height);
// The part of a picture of this size that shows `from` without a change of shape; the rest is black.
Part fitted(const Part &from, int width, int height);

// The surroundings of a box in a frame in host memory, of any format. Luma is the plane Y as it is, or that
// of motion.h of the colours. Scaled by a triangle as wide as a pixel of the smaller one of the two pictures.
// Empty: the box is not finite or outside of the frame, or the frame has no two pixels on a side.
Picture picture_around(const ConstImage &frame, const track::Box &);

// The same part of a mask of that frame: 255 where the object is, 0 elsewhere and where the mask has another
// value than 255, such as that of shadows.
Picture silhouette_around(Plane<const std::uint8_t> mask, const track::Box &);

bool shows_something(const Picture &silhouette); // any pixel of it

// How sharp it is: the mean of |4 p - its four neighbours|. 0 for what is no picture.
double sharpness(const Picture &);

} // namespace vigil::label
