// SPDX-License-Identifier: LGPL-2.1-or-later
// The exact search: the product of all vectors with the one that is looked for. Vectors have length 1, so
// that a product is the cosine of the angle between two. An event's score is that of its best frame.
#include "archive.h"
#include "common/error.h"
#include "scan.h"
#include "source_file.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <inttypes.h>
#include <numeric>

namespace vigil::scan {

namespace {

struct Hit {
  double score = 0;
  Json event; // with "path"
};

// The hits among one file's events.
void search(const std::string &folder, const std::string &name, const std::vector<float> &wanted,
            std::vector<Hit> &hits) {
  const VectorTable table = read_vectors(folder + "/" + name + ".vectors");
  if (table.times.empty()) return;
  if (table.length != wanted.size())
    fail(Error::Kind::bad_data, folder, ": vectors of ", table.length, " values, and the model makes ",
         wanted.size(), "; the folders of a query must be made with one model");
  std::vector<double> scores;
  for (std::size_t i = 0; i < table.times.size(); i++) {
    const float *v = table.values.data() + i * table.length;
    scores.push_back(std::inner_product(wanted.begin(), wanted.end(), v, 0.0));
  }
  for (Json &line : [&] { return read_lines(folder + "/" + name + ".jsonl"); }()) {
    if (line.value("record", "") != "event") continue;
    const double begin = line.at("begin"), end = line.at("end");
    Hit hit{-2, {}};
    double at = 0;
    for (std::size_t i = 0; i < scores.size(); i++)
      if (table.times[i] >= begin && table.times[i] <= end && scores[i] > hit.score) {
        hit.score = scores[i];
        at = table.times[i];
      }
    if (hit.score < -1.5) continue; // it has no vector
    hit.event["score"] = hit.score;
    hit.event["path"] = table.path;
    hit.event["at"] = at;
    for (const char *member : {"id", "label", "begin", "end"}) hit.event[member] = line.at(member);
    hits.push_back(std::move(hit));
  }
}

} // namespace

void query(const QueryOptions &o) {
  std::string model, sha256;
  for (const std::string &folder : o.folders) {
    const Json how = read_json(folder + "/scan.json");
    const Json vectors = how.is_object() && how.contains("vectors") ? how.at("vectors") : Json();
    if (!vectors.is_object())
      fail(Error::Kind::bad_setting, folder, " has no vectors; scan with --vectors MODEL");
    const std::string sum = vectors.value("sha256", "");
    if (!sha256.empty() && sum != sha256)
      fail(Error::Kind::bad_setting, folder, " was made with another model than ", o.folders.front());
    sha256 = sum;
    if (model.empty()) model = vectors.value("model", "");
  }
  if (sha256_of_file(model) != sha256)
    fail(Error::Kind::bad_setting, model, " is not the model that the vectors were made with any more");
  const std::vector<float> wanted = vector_at(o.file, o.time, model);
  std::vector<Hit> hits;
  for (const std::string &folder : o.folders)
    for (const std::string &name : finished(folder)) {
      search(folder, name, wanted, hits);
      std::stable_sort(hits.begin(), hits.end(),
                       [](const Hit &a, const Hit &b) { return a.score > b.score; });
      if (hits.size() > static_cast<std::size_t>(o.count)) hits.resize(static_cast<std::size_t>(o.count));
    }
  for (const Hit &h : hits)
    std::printf("%s\n", h.event.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

} // namespace vigil::scan
