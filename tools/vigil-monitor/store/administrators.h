// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether the database has had administrators with passwords, in a small file next to it: the file of this
// name outlasts a database that is damaged or removed. Without it the loss of all users would open what they
// had closed.
#pragma once

#include <optional>
#include <string>

namespace vigil::monitor {

// What the file says; empty where there is none, or none that can be understood.
std::optional<bool> remembered_administrators(const std::string &database);
// On the disk when it returns. Throws Error::write.
void remember_administrators(const std::string &database, bool some);

// Whether somebody may administer with a password. True also where nobody can say: the database cannot be
// read, or has lost those that the file speaks of.
bool may_have_administrators(const std::string &database);
// What to do where the file speaks of administrators, and the database, which can be read, has none. Empty
// where it is not so.
std::string lost_administrators(const std::string &database);

} // namespace vigil::monitor
