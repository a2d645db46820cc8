// SPDX-License-Identifier: LGPL-2.1-or-later
// The rules in pixels of the stream's picture. Rules that were given in pixels belong to pictures of the size
// that they were first used on.
#pragma once

#include "common/error.h"
#include "kernels/rules/rules.h"

namespace vigil::gst::boxrules {

class PictureRules {
 public:
  // `version`: another one for other rules. `width` and `height` of the picture in pixels, 0: not known.
  // Throws Error::bad_setting when the rules cannot be used on such a picture.
  rules::Rules in_pixels(const rules::Rules &wanted, unsigned version, double width, double height) {
    if (wanted.zones.empty() && wanted.lines.empty()) return {};
    if (width <= 0 || height <= 0)
      fail(Error::Kind::bad_setting,
           "the rules cannot be used: the caps tell no width and height of the picture");
    if (wanted.units == rules::Units::pixels) {
      if (version_ != version) { // these are new
        version_ = version;
        width_ = width;
        height_ = height;
      } else if (width_ != width || height_ != height)
        fail(Error::Kind::bad_setting, "the picture is ", width, "x", height,
             " now, and the rules were given in pixels of ", width_, "x", height_,
             ": they are not used until they are set again; normalised ones follow the size");
    }
    return rules::in_pixels(wanted, width, height);
  }
  void restart() { version_ = 0; }

 private:
  unsigned version_ = 0;          // 0: none was used yet
  double width_ = 0, height_ = 0; // of the picture that it was first used on
};

} // namespace vigil::gst::boxrules
