// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace vigil::demo {

struct Encoder {
  const char *element, *description; // description: from raw video to a muxed stream
  const char *extension, *words;
};

// The best of those installed: H.264 in MP4, VP8 in WebM, JPEG in AVI. Throws Error::no_device, with what to
// install, when there is none.
const Encoder &choose_encoder();

} // namespace vigil::demo
