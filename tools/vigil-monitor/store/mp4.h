// SPDX-License-Identifier: LGPL-2.1-or-later
// Clips that a killed program left half written.
#pragma once

#include <string>

namespace vigil::monitor {

// Cuts a fragmented MP4 file off after its last whole fragment (moof and mdat). False, and the file as it
// was, when it holds none or is no such file. Throws Error::io or Error::write.
bool close_half_written(const std::string &path);

} // namespace vigil::monitor
