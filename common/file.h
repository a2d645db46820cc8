// SPDX-License-Identifier: LGPL-2.1-or-later
// Whole files: written so that a reader never sees half of one, read without trust in what they are.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vigil {

// Writes a new file next to `path` and renames it, so that there is a whole file under that name at any
// time. The bytes and the name are on the disk when it returns. A device or pipe, such as /dev/stdout, is
// written to instead. Throws Error::write. Removes what a process that was killed while it wrote has left
// there.
void write_file_atomically(const std::string &path, std::span<const std::uint8_t> bytes);

// The same for a writer of many files: the folder is not listed at each of them; the writer calls
// remove_left_behind() once.
void replace_file(const std::string &path, std::span<const std::uint8_t> bytes);

// The same as write_file_atomically() where no file of that name is there yet; false when one is, whose
// bytes stay. Of several processes one alone is the first, except on file systems without links.
bool write_file_if_absent(const std::string &path, std::span<const std::uint8_t> bytes);

// Removes what killed processes have left in `folder` of files whose names `is_ours` knows.
void remove_left_behind(const std::string &folder, const std::function<bool(std::string_view name)> &is_ours);

// Throws Error::write when no file can be made next to `path`, as the above does.
void check_writable(const std::string &path);

// The bytes of a plain file; `what` names it in errors ("the saved model"). `largest` is asked, with the
// first `head` bytes, how many the file can have at most, before the rest is read; it may throw as well.
// Throws Error::io, Error::bad_data when the file is larger.
std::vector<std::uint8_t>
read_plain_file(const std::string &path, const char *what, std::size_t head,
                const std::function<std::size_t(std::span<const std::uint8_t>)> &largest);

// A whole plain file of at most `most` bytes as text; `what` names it in errors. Throws as
// read_plain_file() does.
std::string read_text_file(const std::string &path, const char *what, std::size_t most);

// The same, and from a pipe all that comes until its end. Throws Error::io when nothing comes for ten
// seconds, Error::bad_data when more than `most` bytes come.
std::string read_text_file_or_pipe(const std::string &path, const char *what, std::size_t most);

// What was made, renamed or removed in this folder outlasts a power cut. Best effort: some file systems
// cannot.
void sync_folder(const std::string &folder);
void sync_folder_of(const std::string &path); // the folder that this file is in

} // namespace vigil
