// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

namespace vigil::monitor {

// "anna" of a user of this machine, or the number where it has no name.
std::string name_of_owner(unsigned user);

// Throws Error::bad_setting where the folder belongs to another user: files that root makes in it could not be
// written by the program, which has that other user.
void need_own_folder(const std::string &folder);

} // namespace vigil::monitor
