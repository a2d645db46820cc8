// SPDX-License-Identifier: LGPL-2.1-or-later
#include "preview_file.h"

#include "common/error.h"
#include "common/file.h"
#include "segment.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace vigil::monitor {
namespace {

constexpr std::size_t preview_head = 8;
constexpr std::int64_t preview_tick = 1000; // microseconds

std::string four_bytes(std::uint32_t v) {
  std::string out(4, '\0');
  for (int i = 0; i < 4; i++) out[std::size_t(i)] = static_cast<char>(v >> (24 - 8 * i));
  return out;
}

std::uint32_t number_of_bytes(std::string_view four) {
  std::uint32_t v = 0;
  for (int i = 0; i < 4; i++) v = v << 8 | static_cast<unsigned char>(four[std::size_t(i)]);
  return v;
}

} // namespace

std::string preview_path(const std::string &id) {
  const std::string path = recording_path(id);
  return path.substr(0, path.rfind('.')) + preview_ending;
}

void append_preview(const std::string &path, std::int64_t at, std::string_view jpeg) {
  const std::string bytes = four_bytes(static_cast<std::uint32_t>(at / preview_tick)) +
                            four_bytes(static_cast<std::uint32_t>(jpeg.size())) + std::string(jpeg);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) fail(Error::Kind::write, "cannot make ", path, ": ", std::strerror(errno));
  struct stat before {};
  const bool measured = fstat(file, &before) == 0;
  const ssize_t written = write(file, bytes.data(), bytes.size());
  const int why = written < 0 ? errno : ENOSPC;
  const bool whole = written == static_cast<ssize_t>(bytes.size());
  if (!whole && measured) std::ignore = ftruncate(file, before.st_size);
  close(file);
  if (!whole) fail(Error::Kind::write, "cannot write ", path, ": ", std::strerror(why));
}

std::optional<Preview> nearest_preview(const std::string &path, std::int64_t at) {
  constexpr std::size_t most = 16 << 20;
  std::string all;
  try {
    all = read_text_file(path, "the previews", most);
  } catch (const Error &) {
    return std::nullopt;
  }
  std::string_view left = all, found;
  std::int64_t time = 0;
  while (left.size() > preview_head) {
    const std::int64_t then = std::int64_t{number_of_bytes(left)} * preview_tick;
    const std::size_t size = number_of_bytes(left.substr(4));
    if (size == 0 || size > left.size() - preview_head) break; // the one that is being written
    if (found.empty() || std::abs(then - at) < std::abs(time - at)) {
      found = left.substr(preview_head, size);
      time = then;
    }
    left.remove_prefix(preview_head + size);
  }
  if (found.empty()) return std::nullopt;
  return Preview{time, std::string(found)};
}

} // namespace vigil::monitor
