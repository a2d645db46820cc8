// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/opencl/cache.h"

#include "common/error.h"
#include "common/file.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

namespace vigil {
namespace {

constexpr std::string_view magic = "vigil cache 1\n";

std::mutex log_mutex; // guards what follows
std::set<std::string> reported;
std::function<void(const std::string &)> log_to;

// Programs and the tuner's choices have directories side by side: one that fails speaks for the other.
void tell_once(const std::string &directory, const std::string &why) {
  const std::lock_guard lock(log_mutex);
  const std::string parent = std::filesystem::path(directory).parent_path();
  if (!reported.insert(parent).second) return;
  const std::string message = text(
      "nothing can be kept in ", parent, " (", why,
      "), so kernels are compiled at every start; set XDG_CACHE_HOME to a directory that ", "can be written");
  if (log_to)
    log_to(message);
  else
    std::fprintf(stderr, "vigil: %s\n", message.c_str());
}

// magic, "KEY_LENGTH CONTENT_LENGTH HASH\n", key, content
std::string envelope(std::string_view key, std::string_view content) {
  std::string s(magic);
  s += text(key.size(), " ", content.size(), " ", std::hex, hash_of(content), "\n");
  return s.append(key).append(content);
}

void keep(const std::string &directory, const std::string &path, const std::string &content) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return tell_once(directory, error.message());
  try {
    write_file_atomically(path, {reinterpret_cast<const std::uint8_t *>(content.data()), content.size()});
  } catch (const Error &e) {
    tell_once(directory, e.what());
  }
}

} // namespace

std::uint64_t hash_of(std::string_view s) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return h;
}

std::string cache_directory(const char *name) {
  const char *base = std::getenv("XDG_CACHE_HOME");
  if (base && *base == '/') return text(base, "/vigil/", name); // a relative one is to be ignored, says XDG
  const char *home = std::getenv("HOME");
  return home && *home ? text(home, "/.cache/vigil/", name) : std::string();
}

void set_cache_log(std::function<void(const std::string &)> log) {
  const std::lock_guard lock(log_mutex);
  log_to = std::move(log);
}

std::string FileCache::path_of(std::string_view key, const char *extension) const {
  char name[17];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hash_of(key)));
  return text(directory_, "/", name, ".", extension);
}

std::optional<std::string> FileCache::read(std::string_view key, const char *extension) const {
  if (directory_.empty()) return {};
  std::ifstream file(path_of(key, extension), std::ios::binary);
  if (!file) return {};
  std::ostringstream all;
  all << file.rdbuf();
  const std::string s = std::move(all).str();
  std::string_view rest = s;
  if (!rest.starts_with(magic)) return {};
  rest.remove_prefix(magic.size());
  const std::size_t line = rest.find('\n');
  if (line == std::string_view::npos || line > 80) return {};
  unsigned long long key_bytes = 0, bytes = 0, hash = 0;
  if (std::sscanf(std::string(rest.substr(0, line)).c_str(), "%llu %llu %llx", &key_bytes, &bytes, &hash) !=
      3)
    return {};
  rest.remove_prefix(line + 1);
  if (key_bytes != key.size() || rest.size() < key_bytes || rest.size() - key_bytes != bytes) return {};
  if (rest.substr(0, key.size()) != key) return {};
  rest.remove_prefix(key.size());
  if (hash_of(rest) != hash) return {};
  return std::string(rest);
}

void FileCache::write(std::string_view key, const char *extension, std::string_view content) const noexcept {
  try {
    if (directory_.empty())
      tell_once("a cache directory", "neither XDG_CACHE_HOME nor HOME is set");
    else
      keep(directory_, path_of(key, extension), envelope(key, content));
  } catch (...) { // out of memory, or a log that throws: still only a cache
  }
}

} // namespace vigil
