// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures made from a frame and its mask.
//
//   foreground:  out = frame where mask = 255, `black` elsewhere
//   overlay:     out = frame, but c = ((256 - s) * frame_c + s * tint_c + 128) >> 8 for each channel c where
//                mask = 255 (tint) or 0 < mask < 255 (shadow_tint), s = strength of that tint; then the
//                outlines of `boxes` in the colour `box`: the pixels of the picture that lie in a box and
//                within `line` pixels of one of its sides
// Subsampled chroma is decided once for each 2x2 pixels (fewer at odd edges): foreground keeps the chroma
// when any of them is 255; overlay tints it when any is 255, else shadow-tints it when any is between; a
// box's outline colours it when any of the pixels is on it. Alpha is copied everywhere. Frame and result have
// the same format and size; they may be the same memory, but not overlap otherwise. Any strides and addresses
// work; on a GPU 16-byte aligned ones run fastest. Colours are 0..255. Source: this project.
#pragma once

#include "common/device.h"
#include "common/plane.h"

#include <array>
#include <memory>
#include <span>

namespace vigil::compose {

using Colour = std::array<std::uint8_t, 3>; // the picture's own channels: R G B, Y U V, or grey first
// (for bgra as well R G B: backends put it in the picture's order)

struct Tint {
  Colour colour{};
  int strength = 0; // 0..256; values outside count as the nearest end
};
struct DrawnBox { // in pixels; parts outside the picture are not drawn, nor is a box without pixels
  int x, y, width, height;
};
struct Style {
  Colour black{};
  Tint tint, shadow_tint;
  Colour box{};
  int line = 2; // pixels; 0 or less: no outlines
};
inline constexpr int max_boxes = 64; // further ones are not drawn

class Composer {
 public:
  virtual ~Composer() = default;
  // Both throw Error::bad_setting when the frame's, the mask's and the result's sizes or formats differ.
  virtual void foreground(ConstImage frame, Plane<const std::uint8_t> mask, const Style &, Image out,
                          Queue &) = 0;
  virtual void overlay(ConstImage frame, Plane<const std::uint8_t> mask, std::span<const DrawnBox> boxes,
                       const Style &, Image out, Queue &) = 0;
};
std::unique_ptr<Composer> make_reference(); // host memory
std::unique_ptr<Composer> make_cpu(Device &);
std::unique_ptr<Composer> make_cuda(Device &); // throws no_device when built without CUDA
// In OpenGL compute shaders, called on the thread where the device's context is current. Throws
// Error::no_device when built without OpenGL, or when the device lacks something, which is named.
std::unique_ptr<Composer> make_gl(Device &);
std::unique_ptr<Composer> make(Device &); // the device must outlive the composer
// What every backend does before it starts.
void check_pictures(const ConstImage &frame, Plane<const std::uint8_t> mask, const Image &out);

} // namespace vigil::compose
