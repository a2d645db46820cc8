// SPDX-License-Identifier: LGPL-2.1-or-later
#include "labels.h"

#include "common/error.h"
#include "kernels/fisher/model_file.h"
#include "tools/base/lines.h"
#include "tools/base/media_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace vigil::train {

namespace fs = std::filesystem;

namespace {

constexpr const char *header = "video,first,last,class";

// Fields may be in double quotes, with "" for one of them.
std::vector<std::string> split(const std::string &line, const std::string &where) {
  std::vector<std::string> fields{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); i++) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  if (quoted) fail(Error::Kind::bad_data, where, ": a quotation mark is not closed");
  return fields;
}

std::uint64_t frame_number(const std::string &s, const std::string &where) {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc{} || end != s.data() + s.size() || n < 1)
    fail(Error::Kind::bad_data, where, ": '", s, "' is no number of a frame; frames count from 1");
  return n;
}

struct Line {
  std::uint64_t first, last;
  std::string name, where;
};

// Refuses a line that gives a frame a class which `before`, the lines that hold its first frame too, forbid.
void check_overlap(const std::string &path, const Line &l, const std::vector<const Line *> &before,
                   const std::string &normal) {
  for (const Line *b : before) {
    if (b->name == l.name)
      fail(Error::Kind::bad_data, l.where, ": frame ", l.first, " of ", path, " has the class '", l.name,
           "' already, in ", b->where);
    if (b->name == normal || l.name == normal)
      fail(Error::Kind::bad_data, l.where, ": frame ", l.first, " of ", path, " is both '", b->name, "' (in ",
           b->where, ") and '", l.name, "', but a frame of the class '", normal, "' has no other");
  }
}

Labels collect(std::vector<std::pair<std::string, std::vector<Line>>> files, const std::string &normal) {
  Labels labels;
  std::set<std::string> names;
  for (const auto &[path, lines] : files)
    for (const Line &l : lines) names.insert(l.name);
  labels.names.assign(names.begin(), names.end());
  for (auto &[path, lines] : files) {
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line &a, const Line &b) { return a.first < b.first; });
    LabelledFile file{path, {}};
    std::vector<const Line *> open; // ranges that later lines may overlap
    for (const Line &l : lines) {
      std::erase_if(open, [&](const Line *b) { return b->last < l.first; });
      check_overlap(path, l, open, normal);
      open.push_back(&l);
      const auto name =
          std::lower_bound(labels.names.begin(), labels.names.end(), l.name) - labels.names.begin();
      file.ranges.push_back({l.first, l.last, static_cast<std::size_t>(name), l.where});
    }
    labels.files.push_back(std::move(file));
  }
  return labels;
}

Labels read_csv(const fs::path &path, const std::string &normal) {
  std::ifstream in(path);
  if (!in) fail(Error::Kind::io, "cannot open the labels ", path.string());
  std::vector<std::pair<std::string, std::vector<Line>>> files; // in the order of the file
  std::map<std::string, std::size_t> known;
  std::string line;
  for (int number = 0; tools::next_line(in, line, number);) {
    const std::string where = text(path.filename().string(), ':', number);
    if (number == 1) {
      if (line != header) fail(Error::Kind::bad_data, where, ": the first line must be ", header);
      continue;
    }
    if (line.empty()) continue;
    const auto f = split(line, where);
    if (f.size() != 4)
      fail(Error::Kind::bad_data, where, ": ", f.size(), " fields where ", header, " are wanted");
    Line l{frame_number(f[1], where), frame_number(f[2], where), f[3], where};
    if (l.first > l.last) fail(Error::Kind::bad_data, where, ": frame ", l.first, " comes after ", l.last);
    try {
      fisher::validate_class_name(l.name);
    } catch (const Error &e) {
      fail(e.kind(), where, ": ", e.what());
    }
    const std::string video = (path.parent_path() / f[0]).lexically_normal().string();
    const auto [at, fresh] = known.emplace(video, files.size());
    if (fresh) files.push_back({video, {}});
    files[at->second].second.push_back(std::move(l));
  }
  if (files.empty()) fail(Error::Kind::bad_data, path.string(), " labels no frame");
  return collect(std::move(files), normal);
}

Labels read_folder(const fs::path &path, const std::string &normal) {
  std::vector<fs::path> folders;
  for (const auto &entry : fs::directory_iterator(path))
    if (entry.is_directory()) folders.push_back(entry.path());
  if (folders.size() < 2)
    fail(Error::Kind::bad_data, path.string(), " must have a folder for each of two or more classes");
  std::sort(folders.begin(), folders.end());
  std::vector<std::pair<std::string, std::vector<Line>>> files;
  for (const fs::path &folder : folders) { // expand() refuses an empty one, which is a class without examples
    const std::string name = folder.filename().string();
    for (const std::string &file : tools::expand({folder.string()}))
      files.push_back({file, {{1, whole_file, name, folder.string()}}});
  }
  return collect(std::move(files), normal);
}

} // namespace

Labels read_labels(const std::string &path, const std::string &normal) {
  if (fs::is_directory(path)) return read_folder(path, normal);
  return read_csv(path, normal);
}

std::vector<std::size_t> classes_of(const LabelledFile &file, std::uint64_t frame) {
  std::vector<std::size_t> names;
  for (const Range &r : file.ranges)
    if (frame >= r.first && frame <= r.last) names.push_back(r.name);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace vigil::train
