// SPDX-License-Identifier: LGPL-2.1-or-later
#include "statistics_file.h"

#include "common/array_file.h"
#include "common/error.h"
#include "common/file.h"

#include <glib.h>
#include <memory>
#include <sstream>

namespace vigil::train {

namespace {

constexpr ArrayFormat statistics_format{"VIGILSTA", 1, "the file of statistics"};

std::size_t width_of(const fisher::Model &m) {
  return 2 * (static_cast<std::size_t>(m.codebook.projected) + 2);
}

} // namespace

std::string fingerprint(const fisher::Model &model) {
  fisher::Model codebook = model;
  codebook.classifier = {};
  codebook.note.clear();
  const auto bytes = fisher::serialize(codebook);
  const std::unique_ptr<char, decltype(&g_free)> sum(
      g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes.data(), bytes.size()), g_free);
  return sum.get();
}

SharedStatistics no_statistics(const fisher::Model &m, const std::string &how) {
  const auto n = static_cast<std::size_t>(m.codebook.components);
  return {fingerprint(m), how, {}, 0, ExactSums(n * width_of(m)), ExactSums(n), ExactSums(1)};
}

void write_statistics(const std::string &path, const SharedStatistics &s) {
  std::string files;
  for (const std::string &line : s.files) files += line + '\n';
  ArrayWriter out(statistics_format);
  out.add("mixture", s.mixture);
  out.add("how", s.how);
  out.add("files", files);
  out.add("rows", s.rows);
  const std::size_t n = s.mass.size();
  out.add("sums", {n, s.sums.size() / n, 4}, s.sums.words());
  out.add("mass", {n, 4}, s.mass.words());
  out.add("likelihood", {1, 4}, s.likelihood.words());
  write_file_atomically(path, out.finish());
}

SharedStatistics read_statistics(const std::string &path, const fisher::Model &m,
                                 const std::string &model_path) {
  const auto bytes =
      read_plain_file(path, "the file of statistics", 0, [](auto) { return std::size_t{1} << 34; });
  try {
    const ArrayReader in(statistics_format, bytes);
    SharedStatistics s = no_statistics(m, in.text("how"));
    if (in.text("mixture") != s.mixture)
      fail(Error::Kind::bad_setting, "these are statistics of another mixture than the one in ", model_path);
    std::istringstream files(in.text("files"));
    for (std::string line; std::getline(files, line);) s.files.insert(line);
    s.rows = in.real("rows");
    const std::size_t n = s.mass.size();
    s.sums = ExactSums::of_words(in.integers("sums", {n, width_of(m), 4}));
    s.mass = ExactSums::of_words(in.integers("mass", {n, 4}));
    s.likelihood = ExactSums::of_words(in.integers("likelihood", {1, 4}));
    return s;
  } catch (const Error &e) {
    fail(e.kind(), path, ": ", e.what());
  }
}

void add(SharedStatistics &all, const SharedStatistics &more, const std::string &path) {
  if (more.how != all.how)
    fail(Error::Kind::bad_setting, path, ": made with '", more.how, "', the others with '", all.how, "'");
  for (const std::string &line : more.files)
    if (!all.files.insert(line).second)
      fail(Error::Kind::bad_setting, path, ": ", line.substr(0, line.find('\t')),
           " is in another file of statistics too, and would count twice");
  all.rows += more.rows;
  all.sums.add(more.sums);
  all.mass.add(more.mass);
  all.likelihood.add(more.likelihood);
}

} // namespace vigil::train
