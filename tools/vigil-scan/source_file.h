// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "records.h"

#include <string>

namespace vigil::scan {

// Looks at the file. Throws Error::io when it is not there or cannot be read, Error::bad_data when it is
// empty or no plain file.
SourceFile look_at(const std::string &path);

// What results of a file at this path are called, also of one that is not there.
std::string name_of(const std::string &path);

// The SHA-256 of a file's bytes, as hexadecimal digits. Throws Error::io.
std::string sha256_of_file(const std::string &path);

} // namespace vigil::scan
