// SPDX-License-Identifier: LGPL-2.1-or-later
// Whole files: written so that a reader never sees half of one, read without trust in what they are.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace vigil {

// Writes a new file beside `path` and renames it, so that there is a whole file under that name at any time.
// Throws Error::write. Removes what a process that was killed while it wrote has left there.
void write_file_atomically(const std::string &path, std::span<const std::uint8_t> bytes);

// Throws Error::write when there is no making a file beside `path`, as the above does.
void check_writable(const std::string &path);

// The bytes of a plain file; `what` names it in errors ("the saved model"). `largest` is asked, with the
// first `head` bytes, how many the file can have at most, before the rest is read; it may throw as well.
// Throws Error::io, Error::bad_data when the file is larger.
std::vector<std::uint8_t>
read_plain_file(const std::string &path, const char *what, std::size_t head,
                const std::function<std::size_t(std::span<const std::uint8_t>)> &largest);

} // namespace vigil
