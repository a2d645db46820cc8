// SPDX-License-Identifier: LGPL-2.1-or-later
// Places in a compiler's log. Most drivers name the file and line that #line directives give. NVIDIA's
// (580.159) names every file <kernel> and counts the lines of the whole source from 1.
#pragma once

#include <string>

namespace vigil {

// The log with each "<kernel>:LINE" that begins one of its lines replaced by "FILE:LINE", as the directives
// `#line NUMBER "FILE"` of the source say. A line in front of the first directive, or behind the end of the
// source, stays as it is.
std::string with_places(const std::string &log, const std::string &source);

} // namespace vigil
