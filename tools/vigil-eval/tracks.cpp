// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tracks.h"

#include "common/error.h"
#include "tools/base/json.h"
#include "track_score.h"
#include "vigil-config.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace vigil::eval {
namespace {

void print_number(double v) {
  if (std::isnan(v))
    std::printf("%9s", "-");
  else
    std::printf("%9.4f", v);
}

void print(const std::string &name, int width, const TrackScore &s) {
  std::printf("%-*s %7llu", width, name.c_str(), static_cast<unsigned long long>(s.frames));
  for (const double v : {s.mota, s.idf1, s.hota, s.deta, s.assa, s.recall, s.precision}) print_number(v);
  std::printf("%10llu%8llu%8llu\n", static_cast<unsigned long long>(s.switches),
              static_cast<unsigned long long>(s.misses), static_cast<unsigned long long>(s.false_positives));
}

void add(tools::JsonWriter &json, const std::string &name, const TrackScore &s) {
  json.begin_object().member("name", name).member("frames", s.frames);
  json.member("truth_boxes", s.truth).member("found_boxes", s.found);
  json.member("mota", s.mota).member("idf1", s.idf1).member("hota", s.hota);
  json.member("deta", s.deta).member("assa", s.assa).member("recall", s.recall);
  json.member("precision", s.precision).member("switches", s.switches).member("misses", s.misses);
  json.member("false_positives", s.false_positives).end_object();
}

} // namespace

void evaluate_tracks(const Options &o) {
  const MotTracks truth = read_mot(o.tracks);
  if (truth.empty())
    fail(Error::Kind::bad_data, o.tracks, " has no box, so there is nothing to compare with");
  int width = 8;
  for (const std::string &path : o.datasets) width = std::max(width, static_cast<int>(path.size()));
  std::vector<TrackScore> scores;
  for (const std::string &path : o.datasets) scores.push_back(score_tracks(truth, read_mot(path), o.iou));
  std::printf("%-*s  frames     MOTA     IDF1     HOTA     DetA     AssA   recall    prec.  switches  misses "
              "  false\n",
              width, "tracks");
  for (std::size_t i = 0; i < scores.size(); i++) print(o.datasets[i], width, scores[i]);
  if (o.json.empty()) return;
  tools::JsonWriter json(true);
  json.begin_object().member("vigil-eval", VIGIL_VERSION).member("truth", o.tracks).member("iou", o.iou);
  json.name("tracks").begin_array();
  for (std::size_t i = 0; i < scores.size(); i++) add(json, o.datasets[i], scores[i]);
  json.end_array().end_object();
  json.save(o.json);
}

} // namespace vigil::eval
