// SPDX-License-Identifier: LGPL-2.1-or-later
// Files under the user's cache directory, each found by the text that it depends on. What is damaged, or was
// made from another text, counts as absent. Writing is atomic, so any number of programs may start at once; a
// directory that cannot be written costs the cache, not the result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace vigil {

// $XDG_CACHE_HOME/vigil/NAME, else ~/.cache/vigil/NAME; empty when the user has neither.
std::string cache_directory(const char *name);

class FileCache {
 public:
  explicit FileCache(std::string directory) : directory_(std::move(directory)) {}
  // What was stored for exactly this key. `extension` is the file's ("bin").
  std::optional<std::string> read(std::string_view key, const char *extension) const;
  // Never throws; a failure is reported once per parent directory and process, see set_cache_log().
  void write(std::string_view key, const char *extension, std::string_view content) const noexcept;
  std::string path_of(std::string_view key, const char *extension) const;

 private:
  std::string directory_;
};

// Where a cache that cannot be written is reported; by default standard error.
void set_cache_log(std::function<void(const std::string &)>);

// 64 bits of FNV-1a: to name files, not to keep secrets.
std::uint64_t hash_of(std::string_view);

} // namespace vigil
