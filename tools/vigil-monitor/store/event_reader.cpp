// SPDX-License-Identifier: LGPL-2.1-or-later
#include "event_reader.h"

#include "../recording/index.h"
#include "common/error.h"
#include "event_row.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace vigil::monitor {
namespace {

std::vector<float> unit(std::vector<float> v) {
  double sum = 0;
  for (const float x : v) sum += static_cast<double>(x) * x;
  for (float &x : v) x = sum > 0 ? static_cast<float>(x / std::sqrt(sum)) : 0;
  return v;
}

constexpr const char *is_visible = " AND camera IN (SELECT value FROM json_each(?))";

std::string as_json(const VisibleCameras &c) {
  return nlohmann::json(*c.only).dump();
}

} // namespace

EventReader::EventReader(std::string path, std::chrono::milliseconds budget)
    : connections_(std::move(path), budget) {}

std::optional<Event> EventReader::get(const std::string &id) const {
  const auto l = connections_.lease();
  Statement s(l.db(), std::string("SELECT ") + event_columns + " FROM events WHERE id=?");
  s.bind(id);
  if (!l.step(s)) return std::nullopt;
  return read_event(s);
}

bool EventReader::seen(const std::string &id, const std::string &who) const {
  const auto l = connections_.lease();
  Statement s(l.db(), "SELECT 1 FROM seen WHERE event=? AND who=?");
  s.bind(id).bind(who);
  return l.step(s);
}

EventPage EventReader::find(const EventQuery &q) const {
  std::string sql = std::string("SELECT ") + event_columns +
                    ", EXISTS(SELECT 1 FROM seen WHERE event=id AND who=?) AS seen_by FROM events WHERE 1";
  if (!q.camera.empty()) sql += " AND camera=?";
  if (!q.visible.all()) sql += is_visible;
  if (!q.label.empty())
    sql += " AND (label=? OR EXISTS(SELECT 1 FROM event_labels AS l WHERE l.event=id AND l.label=? AND"
           " l.score>=0.5))";
  if (!q.zone.empty()) sql += " AND EXISTS(SELECT 1 FROM json_each(zones) WHERE value=?)";
  if (q.after) sql += " AND start>=?";
  if (q.before) sql += " AND start<?";
  if (q.retained) sql += " AND retained=?";
  if (q.seen) sql += " AND seen_by=?";
  double cursor_time = 0;
  std::string cursor_id;
  if (!q.cursor.empty()) { // "TIME_ID" of the last event of the page before
    const auto [end, error] =
        std::from_chars(q.cursor.data(), q.cursor.data() + q.cursor.size(), cursor_time);
    if (error != std::errc() || *end != '_')
      fail(Error::Kind::bad_setting, "the cursor is none that was given out");
    cursor_id = end + 1;
    sql += " AND (start, id)<(?,?)";
  }
  sql += " ORDER BY start DESC, id DESC LIMIT ?";
  const auto l = connections_.lease();
  Statement s(l.db(), sql);
  s.bind(q.who);
  if (!q.camera.empty()) s.bind(q.camera);
  if (!q.visible.all()) s.bind(as_json(q.visible));
  if (!q.label.empty()) s.bind(q.label).bind(q.label);
  if (!q.zone.empty()) s.bind(q.zone);
  if (q.after) s.bind(*q.after);
  if (q.before) s.bind(*q.before);
  if (q.retained) s.bind(*q.retained);
  if (q.seen) s.bind(*q.seen);
  if (!q.cursor.empty()) s.bind(cursor_time).bind(cursor_id);
  s.bind(q.limit + 1);
  EventPage page;
  while (l.step(s)) {
    page.events.push_back(read_event(s));
    page.seen.push_back(s.integer(event_column_count) != 0);
  }
  if (static_cast<int>(page.events.size()) > q.limit) {
    page.events.pop_back();
    page.seen.pop_back();
    char number[32];
    const Event &last = page.events.back();
    page.next_cursor =
        std::string(number, std::to_chars(number, number + sizeof number, last.start_time).ptr) + "_" +
        last.id;
  }
  return page;
}

std::vector<SimilarEvent> EventReader::similar(const std::string &id, int limit,
                                               const VisibleCameras &visible) const {
  const auto l = connections_.lease();
  Statement own(l.db(), "SELECT vector FROM events WHERE id=?");
  own.bind(id);
  if (!l.step(own)) return {};
  const std::vector<float> wanted = unit(own.floats(0));
  Statement s(l.db(), std::string("SELECT ") + event_columns +
                          ", vector FROM events WHERE vector IS NOT NULL AND id<>?" +
                          (visible.all() ? "" : is_visible) + " ORDER BY start DESC LIMIT ?");
  s.bind(id);
  if (!visible.all()) s.bind(as_json(visible));
  s.bind(most_rows);
  std::vector<SimilarEvent> out;
  const auto nearer = [](const SimilarEvent &a, const SimilarEvent &b) {
    return a.similarity > b.similarity;
  };
  while (l.step(s)) {
    const std::vector<float> v = unit(s.floats(event_column_count));
    if (v.size() != wanted.size()) continue; // of another model
    double dot = 0;
    for (std::size_t i = 0; i < v.size(); i++) dot += static_cast<double>(v[i]) * wanted[i];
    if (static_cast<int>(out.size()) == limit && dot <= out.back().similarity) continue;
    const SimilarEvent found{read_event(s), dot};
    out.insert(std::upper_bound(out.begin(), out.end(), found, nearer), found);
    if (static_cast<int>(out.size()) > limit) out.pop_back();
  }
  return out;
}

std::int64_t EventReader::clip_bytes() const {
  const auto l = connections_.lease();
  return one_integer(l.db(), "SELECT total(clip_bytes) FROM events WHERE of_recording=0");
}

std::int64_t EventReader::clips() const {
  const auto l = connections_.lease();
  return one_integer(l.db(), "SELECT count(*) FROM events WHERE has_clip");
}

std::optional<double> EventReader::oldest() const {
  const auto l = connections_.lease();
  Statement s(l.db(), "SELECT min(start) FROM events");
  if (!l.step(s) || s.is_null(0)) return std::nullopt;
  return s.real(0);
}

std::int64_t EventReader::waiting(const std::string &box) const {
  const auto l = connections_.lease();
  Statement s(l.db(), "SELECT count(*) FROM outbox WHERE box=?");
  s.bind(box);
  return l.step(s) ? s.integer(0) : 0;
}

std::vector<float> EventReader::heat(const std::string &camera, double after, double before) const {
  std::vector<float> sum(static_cast<std::size_t>(EventStore::heat_columns * EventStore::heat_rows));
  const auto l = connections_.lease();
  for (const char *sql :
       {"SELECT cells FROM heat_quarters WHERE camera=? AND quarter*900.0>=? AND quarter*900.0<?",
        "SELECT cells FROM heat WHERE camera=? AND hour*3600.0>=? AND hour*3600.0<?"}) {
    Statement s(l.db(), sql);
    s.bind(camera).bind(after).bind(before);
    while (l.step(s)) {
      const std::vector<float> cells = s.floats(0);
      for (std::size_t i = 0; i < std::min(sum.size(), cells.size()); i++) sum[i] += cells[i];
    }
  }
  return sum;
}

std::map<CrossingPlace, Crossings> EventReader::crossings(const std::string &camera, double after,
                                                          double before) const {
  constexpr int quarter = EventStore::quarter;
  std::map<CrossingPlace, Crossings> out;
  const auto l = connections_.lease();
  Statement s(
      l.db(),
      "SELECT line, quarter, ins, outs FROM crossings WHERE camera=? AND quarter>=? AND quarter*?<? LIMIT ?");
  s.bind(camera).bind(static_cast<std::int64_t>(std::floor(after / quarter))).bind(1. * quarter).bind(before);
  s.bind(most_rows + 1);
  while (l.step(s)) out[{camera, s.text(0), s.integer(1)}] = {s.integer(2), s.integer(3)};
  if (out.size() > static_cast<std::size_t>(most_rows))
    fail(Error::Kind::bad_setting, "there are more than ", most_rows,
         " counts between 'after' and 'before'; ask for a shorter time");
  return out;
}

std::vector<Segment> EventReader::segments(const std::string &camera, std::int64_t from, std::int64_t to,
                                           bool with_fragments) const {
  const auto l = connections_.lease();
  Statement s(l.db(), segments_between(with_fragments));
  s.bind(camera).bind(from).bind(to);
  std::vector<Segment> out;
  while (l.step(s)) {
    out.push_back(read_segment(s));
    if (with_fragments) read_fragments(s, segment_column_count, out.back());
  }
  return out;
}

std::vector<Gap> EventReader::gaps(const std::string &camera, std::int64_t from, std::int64_t to) const {
  const auto l = connections_.lease();
  Statement s(l.db(),
              "SELECT start, end, reason FROM gaps WHERE camera=? AND start<? AND (end IS NULL OR end>?)"
              " ORDER BY start LIMIT ?");
  s.bind(camera).bind(to).bind(from).bind(most_rows);
  std::vector<Gap> out;
  while (l.step(s))
    out.push_back(
        {camera, s.text(2), s.integer(0), s.is_null(1) ? std::nullopt : std::optional(s.integer(1))});
  return out;
}

std::optional<std::int64_t> EventReader::recorded_since(const std::string &camera) const {
  const auto l = connections_.lease();
  Statement s(l.db(), "SELECT min(start) FROM segments WHERE camera=?");
  s.bind(camera);
  if (!l.step(s) || s.is_null(0)) return std::nullopt;
  return s.integer(0);
}

std::pair<std::int64_t, std::int64_t> EventReader::recorded(const std::string &camera,
                                                            std::int64_t since) const {
  const auto l = connections_.lease();
  Statement s(l.db(), "SELECT sum(bytes), sum(duration) FROM segments WHERE camera=? AND start>=?");
  s.bind(camera).bind(since);
  if (!l.step(s)) return {0, 0};
  return {s.integer(0), s.integer(1)};
}

} // namespace vigil::monitor
