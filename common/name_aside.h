// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <initializer_list>
#include <string>

namespace vigil {

// A name for what is in the place of the file `path` and is set aside: `path` with ".damaged-TIME". Nothing
// has this name yet, nor this name with one of these ends.
std::string name_aside(const std::string &path, std::initializer_list<const char *> ends = {});

} // namespace vigil
