// SPDX-License-Identifier: LGPL-2.1-or-later
// What the demo shows of each element. A new element is one more row: with a mask and an overlay, or with a
// filter.
#pragma once

#include <array>

namespace vigil::demo {

struct Element {
  const char *name;
  const char *mask = nullptr;    // description that gives GRAY8 masks; its first element is called "watch"
  const char *overlay = nullptr; // description that gives the frames with the result drawn in
  // Description that gives the background from a model file, learning nothing; the first element is "watch"
  // there too, and both it and the mask's take the file by a property model-location. Null: there are no
  // models.
  const char *background = nullptr;
  const char *filter =
      nullptr;         // description that takes noise from RGBA frames; its first element is called "watch"
  bool rules = false;  // rules_chain follows the overlay, and crossings are compared with the truth's
  bool opengl = false; // works in OpenGL, without a window when there is no display
};

// What follows an overlay of an element with `rules`: tracks of its boxes, a line down the middle of the
// picture, where scenetestsrc counts too, and a zone.
inline constexpr const char *rules_chain = R"( ! boxtrack post-messages=false !
    boxrules name=rules draw=true rules="{
      \"lines\": [{\"name\": \"middle\", \"points\": [[0.5, 0], [0.5, 1]]}],
      \"zones\": [{\"name\": \"left\", \"polygon\": [[0.02, 0.4], [0.4, 0.4], [0.4, 0.98], [0.02, 0.98]]}]}")";

inline constexpr std::array elements{
    Element{
        .name = "cudamog",
        .mask = "cudamog name=watch output=mask",
        .overlay = "cudamog output=overlay post-messages=false",
        .background = "cudamog name=watch output=background learning-rate=0 post-messages=false",
        .rules = true,
    },
    Element{
        .name = "glcolinearseg",
        .mask = "glcolinearseg name=watch output=mask ! videoconvert ! "
                "capsfilter caps=video/x-raw,format=GRAY8",
        .overlay = "glcolinearseg output=overlay post-messages=false",
        .opengl = true,
    },
    Element{
        .name = "boxrules",
        .mask = "cudamog name=watch output=mask post-messages=false",
        .overlay = "cudamog output=passthrough post-messages=false",
        .rules = true,
    },
    Element{
        .name = "clbilateral",
        .filter = "clbilateral name=watch spatial-sigma=2 range-sigma=0.1",
    },
    Element{
        .name = "clfilter",
        .filter = "clfilter name=watch chain=\"median ! gaussian sigma=0.8\"",
    },
};

} // namespace vigil::demo
