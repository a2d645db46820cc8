// SPDX-License-Identifier: LGPL-2.1-or-later
#include "folder.h"

#include "common/error.h"
#include "score.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

namespace vigil::eval {

namespace fs = std::filesystem;

namespace {

// The last run of digits in a file name without its extension.
std::optional<long long> number_of(const fs::path &file) {
  const std::string stem = file.stem().string();
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto end = std::find_if(stem.rbegin(), stem.rend(), digit).base();
  const auto begin = std::find_if_not(std::make_reverse_iterator(end), stem.rend(), digit).base();
  constexpr std::ptrdiff_t most = 18; // digits that a long long holds for certain
  if (begin == end || end - begin > most) return {};
  return std::stoll(std::string(begin, end));
}

std::string lower_extension(const fs::path &file) {
  std::string e = file.extension().string();
  std::transform(e.begin(), e.end(), e.begin(), [](unsigned char c) { return std::tolower(c); });
  return e;
}

// Files of a folder with one of the extensions, by number. Two of one number are an error.
template <class Accept>
std::map<long long, fs::path> numbered_files(const fs::path &folder, Accept accept) {
  std::map<long long, fs::path> files;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    if (!accept(i->path())) continue;
    const auto number = number_of(i->path());
    if (!number) continue;
    const auto [old, fresh] = files.emplace(*number, i->path());
    if (!fresh)
      fail(Error::Kind::bad_data, old->second.string(), " and ", i->path().filename().string(),
           " have the same number");
  }
  if (error) fail(Error::Kind::io, "cannot list ", folder.string(), ": ", error.message());
  return files;
}

void find_frames(Folder &out, const fs::path &input) {
  constexpr std::array known{".jpg", ".jpeg", ".png", ".bmp"};
  const auto files = numbered_files(input, [&](const fs::path &p) {
    return std::find(known.begin(), known.end(), lower_extension(p)) != known.end();
  });
  if (files.empty())
    fail(Error::Kind::bad_data, input.string(), " has no numbered .jpg, .png or .bmp pictures");
  out.extension = lower_extension(files.begin()->second);
  for (const auto &[number, path] : files) {
    if (lower_extension(path) != out.extension)
      fail(Error::Kind::bad_data, input.string(), " mixes ", out.extension, " and ", lower_extension(path),
           " pictures; a sequence is of one kind");
    out.frames.push_back(path.string());
    out.numbers.push_back(number);
  }
}

// CDnet marks the frames of its range alone as labelled; a cut sequence may lack some of them.
std::pair<long long, long long> temporal_region(const fs::path &file) {
  if (!fs::exists(file)) return {0, std::numeric_limits<long long>::max()};
  std::ifstream in(file);
  long long first = 0, last = 0;
  if (!(in >> first >> last) || first > last)
    fail(Error::Kind::bad_data, file.string(),
         " must hold two numbers, the first and the last labelled frame");
  return {first, last};
}

void find_truth(Folder &out, const std::map<long long, fs::path> &truth, long long first, long long last) {
  for (std::size_t i = 0; i < out.frames.size(); i++) {
    const auto t = truth.find(out.numbers[i]);
    if (t != truth.end() && t->first >= first && t->first <= last) out.truth.emplace(i, t->second.string());
  }
}

} // namespace

Folder open_folder(const std::string &path) {
  const fs::path root(path), input = root / "input", labels = root / "groundtruth";
  if (!fs::is_directory(root)) fail(Error::Kind::io, "there is no folder ", path);
  if (!fs::is_directory(input)) fail(Error::Kind::bad_data, path, " has no folder input/ with the frames");

  Folder out;
  out.name = fs::absolute(root / "").lexically_normal().parent_path().filename().string();
  find_frames(out, input);
  const auto png = [](const fs::path &p) { return lower_extension(p) == ".png"; };
  if (fs::is_directory(labels)) {
    const auto [first, last] = temporal_region(root / "temporalROI.txt");
    find_truth(out, numbered_files(labels, png), first, last);
    if (const fs::path roi = root / "ROI.bmp"; fs::exists(roi)) out.region = read_bmp(roi.string());
  } else {
    out.hand_segmented = true;
    const auto hand = [&](const fs::path &p) {
      return png(p) && p.filename().string().starts_with("hand_segmented_");
    };
    find_truth(out, numbered_files(root, hand), 0, std::numeric_limits<long long>::max());
  }
  if (out.truth.empty())
    fail(Error::Kind::bad_data, path, " has no truth for any of its ", out.frames.size(),
         " frames; groundtruth/gtNNNNNN.png or hand_segmented_NNNNN.png were looked for");
  return out;
}

GrayImage load_truth(const Folder &folder, std::size_t index) {
  GrayImage image = read_png(folder.truth.at(index));
  constexpr int foreground_from = 128;
  if (folder.hand_segmented)
    for (auto &v : image.bytes) v = v >= foreground_from ? label_foreground : label_background;
  return image;
}

} // namespace vigil::eval
