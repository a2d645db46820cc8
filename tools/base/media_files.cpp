// SPDX-License-Identifier: LGPL-2.1-or-later
#include "media_files.h"

#include "common/error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace vigil::tools {

namespace fs = std::filesystem;

namespace {

constexpr std::array pictures{".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"};
constexpr std::array videos{".mp4", ".mkv",  ".avi", ".mov", ".webm", ".mpg",
                            ".ts",  ".mpeg", ".m4v", ".ogv", ".y4m"};

bool is_media(const fs::path &p, Media wanted) {
  std::string e = p.extension().string();
  std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::find(videos.begin(), videos.end(), e) != videos.end() ||
         (wanted == Media::videos_and_pictures &&
          std::find(pictures.begin(), pictures.end(), e) != pictures.end());
}

} // namespace

std::vector<std::string> expand(const std::vector<std::string> &files_and_folders, Media wanted) {
  std::vector<std::string> all;
  for (const std::string &path : files_and_folders) {
    if (!fs::is_directory(path)) {
      if (!fs::exists(path)) fail(Error::Kind::io, "there is no file or folder ", path);
      all.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const auto &entry :
         fs::recursive_directory_iterator(path, fs::directory_options::follow_directory_symlink))
      if (entry.is_regular_file() && is_media(entry.path(), wanted)) found.push_back(entry.path().string());
    if (found.empty())
      fail(Error::Kind::bad_data, "the folder ", path, " has no ",
           wanted == Media::videos ? "videos" : "pictures or videos");
    std::sort(found.begin(), found.end());
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

} // namespace vigil::tools
