// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mp4.h"

#include "common/error.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace vigil::monitor {

bool close_half_written(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(Error::Kind::io, "cannot read ", path, ": ", std::strerror(errno));
  const std::uint64_t size = std::filesystem::file_size(path);
  std::uint64_t at = 0, whole = 0;
  bool moov = false, moof = false;
  for (unsigned char head[16]; at + 8 <= size;) {
    in.seekg(static_cast<std::streamoff>(at));
    if (!in.read(reinterpret_cast<char *>(head), 8)) break;
    const auto big_endian = [&](int from, int n) {
      std::uint64_t v = 0;
      for (int i = 0; i < n; i++) v = v << 8 | head[from + i];
      return v;
    };
    std::uint64_t length = big_endian(0, 4);
    const std::string type(reinterpret_cast<char *>(head) + 4, 4);
    if (length == 1 && in.read(reinterpret_cast<char *>(head) + 8, 8)) length = big_endian(8, 8);
    if (length < 8 || length > size - at) break; // the box that was being written
    at += length;
    if (type == "moov") moov = true;
    if (type == "moof") moof = true;
    if (type == "mdat" && moof && moov) {
      whole = at;
      moof = false;
    }
  }
  if (!whole) return false;
  in.close();
  std::error_code error;
  std::filesystem::resize_file(path, whole, error);
  if (error) fail(Error::Kind::write, "cannot shorten ", path, ": ", error.message());
  return true;
}

} // namespace vigil::monitor
