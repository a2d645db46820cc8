// SPDX-License-Identifier: LGPL-2.1-or-later
#include "archive.h"

#include "common/error.h"
#include "common/file.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>

namespace vigil::scan {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest = std::size_t{1} << 40;

std::string read_text(const std::string &path) {
  const auto bytes = read_plain_file(path, "the result", 0, [&](auto) { return largest; });
  return {bytes.begin(), bytes.end()};
}
std::span<const std::uint8_t> bytes_of(const std::string &words) {
  return {reinterpret_cast<const std::uint8_t *>(words.data()), words.size()};
}
void write_text(const std::string &path, const std::string &words) {
  replace_file(path, bytes_of(words));
}
Json parse(const std::string &path, const std::string &words) {
  try {
    return Json::parse(words);
  } catch (const nlohmann::json::exception &e) {
    fail(Error::Kind::bad_data, path, " is damaged: ", e.what());
  }
}
std::string part_ending(int index, const char *kind) {
  char words[40];
  std::snprintf(words, sizeof words, ".part-%04d.%s", index, kind);
  return words;
}

} // namespace

Archive::Archive(std::string folder, const Json &how, bool with_vectors)
    : folder_(std::move(folder)), with_vectors_(with_vectors) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) fail(Error::Kind::write, "cannot make the folder ", folder_, ": ", error.message());
  check_how(how);
}

// The first process writes scan.json.
void Archive::check_how(const Json &how) const {
  const std::string path = folder_ + "/scan.json";
  check_writable(path);
  if (!fs::exists(path)) {
    if (!finished(folder_).empty())
      fail(Error::Kind::bad_setting, folder_,
           " holds results, but no scan.json that says what made them; "
           "choose another folder");
    if (write_file_if_absent(path, bytes_of(how.dump(2) + "\n"))) return;
  }
  const Json there = read_json(path);
  if (there == how) return;
  std::string differences;
  for (const auto &[key, value] : how.items()) {
    const Json other = there.is_object() && there.contains(key) ? there.at(key) : Json();
    if (other != value) differences += "; " + key + ": there " + other.dump() + ", now " + value.dump();
  }
  fail(Error::Kind::bad_setting, folder_, " holds results that were made in another way", differences,
       "; choose another folder, or the same options");
}

std::string Archive::at(const SourceFile &f, const std::string &ending) const {
  return folder_ + "/" + f.name + ending;
}

bool Archive::done(const SourceFile &f) const {
  const std::string path = at(f, ".jsonl");
  if (!fs::exists(path)) return false;
  const auto lines = read_lines(path);
  return !lines.empty() && lines.front().value("digest", "") == f.digest;
}

std::optional<Findings> Archive::part(const SourceFile &f, int index) const {
  const std::string path = at(f, part_ending(index, "json"));
  if (!fs::exists(path)) return {};
  try {
    Findings found = findings_of(f, read_text(path));
    if (!with_vectors_) return found;
    const VectorTable t = read_vectors(at(f, part_ending(index, "vectors")));
    for (std::size_t i = 0; i < t.times.size(); i++) {
      const auto from = t.values.begin() + static_cast<std::ptrdiff_t>(i * t.length);
      const auto time = static_cast<Time>(t.times[i] * static_cast<double>(second) + 0.5);
      found.vectors.push_back({time, {from, from + static_cast<std::ptrdiff_t>(t.length)}});
    }
    return found;
  } catch (const Error &) {
    return {}; // damaged, gone meanwhile, or of another file: the part is made again
  }
}

void Archive::put_part(const SourceFile &f, const Findings &found) const {
  if (with_vectors_)
    replace_file(at(f, part_ending(found.part.index, "vectors")), bytes_of(table_of(f, {found})));
  write_text(at(f, part_ending(found.part.index, "json")), text_of(f, found));
}

void Archive::finish(const SourceFile &f, const std::vector<Findings> &parts) const {
  if (with_vectors_) replace_file(at(f, ".vectors"), bytes_of(table_of(f, parts)));
  write_text(at(f, ".jsonl"), lines_of(f, parts));
  std::error_code ignored;
  fs::remove(at(f, ".failed"), ignored);
  for (const Findings &p : parts) remove_part(f, p.part.index);
}

void Archive::remove_part(const SourceFile &f, int index) const {
  std::error_code ignored;
  for (const char *kind : {"json", "vectors"}) fs::remove(at(f, part_ending(index, kind)), ignored);
}

void Archive::remove_left_behind() const {
  vigil::remove_left_behind(folder_, [](std::string_view name) {
    return name.ends_with(".jsonl") || name.ends_with(".vectors") || name.ends_with(".failed") ||
           (name.ends_with(".json") && name.find(".part-") != std::string_view::npos);
  });
}

void Archive::put_failure(const std::string &path, const std::string &name, const std::string &reason) const {
  Json j;
  j["path"] = path;
  j["reason"] = reason;
  write_text(folder_ + "/" + name + ".failed", j.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::vector<std::string> finished(const std::string &folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    if (i->path().extension() == ".jsonl") names.push_back(i->path().stem().string());
  if (error) fail(Error::Kind::io, "cannot read the folder ", folder, ": ", error.message());
  std::sort(names.begin(), names.end());
  return names;
}

Json read_json(const std::string &path) {
  return parse(path, read_text(path));
}

std::vector<Json> read_lines(const std::string &path) {
  std::vector<Json> lines;
  std::istringstream in(read_text(path));
  for (std::string line; std::getline(in, line);) lines.push_back(parse(path, line));
  return lines;
}

VectorTable read_vectors(const std::string &path) {
  const auto bytes = read_plain_file(path, "the file of vectors", 0, [&](auto) { return largest; });
  try {
    return table_of(bytes);
  } catch (const Error &e) {
    fail(e.kind(), path, ": ", e.what());
  }
}

} // namespace vigil::scan
