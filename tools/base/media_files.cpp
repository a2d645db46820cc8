// SPDX-License-Identifier: LGPL-2.1-or-later
#include "media_files.h"

#include "common/error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <string_view>

namespace vigil::tools {

namespace fs = std::filesystem;

namespace {

constexpr std::array pictures{".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"};
// Of every kind of file that GStreamer has a demultiplexer or a parser for.
constexpr std::array videos{".264",  ".265",   ".266",  ".3g2",  ".3gp",  ".3gpp", ".asf",  ".av1",  ".avc",
                            ".avi",  ".divx",  ".dv",   ".f4v",  ".flv",  ".gxf",  ".h261", ".h263", ".h264",
                            ".h265", ".h266",  ".hevc", ".ivf",  ".m1v",  ".m2p",  ".m2t",  ".m2ts", ".m2v",
                            ".m4v",  ".mjpeg", ".mjpg", ".mk3d", ".mkv",  ".mod",  ".mov",  ".mp4",  ".mpe",
                            ".mpeg", ".mpg",   ".mpv",  ".mts",  ".mxf",  ".nut",  ".nuv",  ".obu",  ".ogm",
                            ".ogv",  ".ogx",   ".qt",   ".rm",   ".rmvb", ".tod",  ".trp",  ".ts",   ".tp",
                            ".vc1",  ".vob",   ".webm", ".wmv",  ".wtv",  ".x264", ".x265", ".y4m"};

std::string ending_of(const fs::path &p) {
  std::string e = p.extension().string();
  std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return std::tolower(c); });
  return e;
}

bool is_media(const fs::path &p, Media wanted) {
  const std::string e = ending_of(p);
  return std::find(videos.begin(), videos.end(), e) != videos.end() ||
         (wanted == Media::videos_and_pictures &&
          std::find(pictures.begin(), pictures.end(), e) != pictures.end());
}

} // namespace

std::vector<std::string> expand(const std::vector<std::string> &files_and_folders, Media wanted,
                                std::vector<std::string> *passed_over) {
  std::vector<std::string> all;
  for (const std::string &path : files_and_folders) {
    if (!fs::is_directory(path)) {
      if (!fs::exists(path)) fail(Error::Kind::io, "there is no file or folder ", path);
      all.push_back(path);
      continue;
    }
    std::vector<std::string> found, others;
    for (const auto &entry :
         fs::recursive_directory_iterator(path, fs::directory_options::follow_directory_symlink))
      if (entry.is_regular_file())
        (is_media(entry.path(), wanted) ? found : others).push_back(entry.path().string());
    if (found.empty())
      fail(Error::Kind::bad_data, "the folder ", path, " has no ",
           wanted == Media::videos ? "videos" : "pictures or videos",
           others.empty() ? ": there are no files in it"
                          : text(" by the endings of its files' names (", endings_of(others),
                                 "); a file that is named by itself is read whatever its name"));
    if (passed_over) passed_over->insert(passed_over->end(), others.begin(), others.end());
    std::sort(found.begin(), found.end());
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

std::string endings_of(const std::vector<std::string> &files) {
  std::map<std::string, int> counts;
  for (const std::string &f : files) counts[ending_of(f)]++;
  std::string words;
  for (const auto &[ending, count] : counts)
    words += text(words.empty() ? "" : ", ", count, ending.empty() ? " without an ending" : " of " + ending);
  return words;
}

} // namespace vigil::tools
