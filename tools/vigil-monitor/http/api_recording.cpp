// SPDX-License-Identifier: LGPL-2.1-or-later
// The continuous recording: ranges as files, and what there is when.
#include "api.h"

#include "../recording/preview_file.h"
#include "../recording/range.h"
#include "../recording/recorded.h"
#include "../recording/timeline.h"
#include "auth.h"
#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace vigil::monitor {

using nlohmann::json;

namespace {

struct Span {
  double from, to;
};

Span span_of(const Request &r, double longest, const char *in_words) {
  const auto from = number_of(r, "from"), to = number_of(r, "to");
  constexpr double latest = 1e11;
  if (!from || !to) refuse(400, "from and to are needed, in seconds since 1970");
  if (*from < 0 || *to > latest || *to <= *from)
    refuse(400, "from and to are seconds since 1970, and from is before to");
  if (*to - *from > longest)
    refuse(400, vigil::text("from ", utc_timestamp(*from), " to ", utc_timestamp(*to), " is longer than ",
                            in_words, "; ask for less at once"));
  return {*from, *to};
}

std::vector<Segment> segments_of(Monitor &m, const std::string &camera, Span span, bool with_fragments) {
  return recorded_segments(m.storage().reader(), m.open_segments(), camera, micros(span.from),
                           micros(span.to), with_fragments);
}

std::string kind_of(const std::string &label) {
  if (label == "motion" || label == "loitering" || label == "found") return label;
  return label.starts_with("camera-") ? "camera" : "class";
}

json events_of(const EventReader &reader, const std::string &camera, Span span) {
  constexpr double longest_event = 3600;
  constexpr std::size_t most = 10000;
  EventQuery q;
  q.camera = camera;
  q.after = span.from - longest_event;
  q.before = span.to;
  q.limit = 500;
  json out = json::array();
  do {
    const EventPage page = reader.find(q);
    for (const Event &e : page.events)
      if (!e.end_time || *e.end_time >= span.from)
        out.push_back({{"id", e.id},
                       {"start", e.start_time},
                       {"end", e.end_time ? json(*e.end_time) : json()},
                       {"kind", kind_of(e.label)},
                       {"label", e.label}});
    q.cursor = page.next_cursor;
  } while (!q.cursor.empty() && out.size() < most);
  std::reverse(out.begin(), out.end());
  return out;
}

} // namespace

void Api::nothing_recorded(const std::string &camera, double from, double to) {
  const auto oldest = monitor_.storage().reader().recorded_since(camera);
  const bool known = monitor_.call([&] { return monitor_.cameras().find(camera) != nullptr; });
  if (!oldest && !known) refuse(404, "there is no camera '" + camera + "'");
  const std::string when = utc_timestamp(from) + " and " + utc_timestamp(to);
  if (!oldest)
    refuse(404, "nothing of " + camera + " was recorded between " + when +
                    ": it has no recording; configure record: {continuous: {days: N}}");
  refuse(404, "nothing of " + camera + " was recorded between " + when + "; its recording begins at " +
                  utc_timestamp(seconds(*oldest)));
}

Response Api::recording(const Match &m) {
  constexpr double longest = 6 * 3600;
  const Span span = span_of(m.request, longest, "six hours");
  return part_of_recording(m, m.parts[0], span.from, span.to,
                           vigil::text(m.parts[0], "-", static_cast<std::int64_t>(span.from)));
}

Response Api::part_of_recording(const Match &m, const std::string &camera, double from, double to,
                                const std::string &name) {
  const Request &r = m.request;
  const Span span{from, to};
  auto place = stream_place(m);
  auto made = RecordingRange::make(
      segments_of(monitor_, camera, span, true), micros(span.from), micros(span.to),
      [places = monitor_.storage().places()](const Segment &s) { return places.file(s); });
  if (!made) nothing_recorded(camera, span.from, span.to);
  const auto range = std::make_shared<const RecordingRange>(std::move(*made));
  const std::string tag = "\"" + range->tag() + "\"";
  // Of a file that has become another one meanwhile a part would not fit.
  const std::string same = r.header("if-range");
  const auto bytes = parse_range(same.empty() || same == tag ? r.header("range") : "", range->size());
  if (!bytes) {
    Response none = error_response(416, vigil::text("the file has ", range->size(), " bytes"));
    none.headers["Content-Range"] = vigil::text("bytes */", range->size());
    return none;
  }
  Response out;
  out.type = "video/mp4" + (range->codecs().empty() ? "" : "; codecs=\"" + range->codecs() + "\"");
  out.headers = {{"Accept-Ranges", "bytes"},
                 {"Cache-Control", "private, no-cache"},
                 {"ETag", tag},
                 {"X-Recording-Start", json(seconds(range->start())).dump()},
                 {"X-Recording-End", json(seconds(range->end())).dump()}};
  if (r.query.count("download"))
    out.headers["Content-Disposition"] = "attachment; filename=\"" + name + ".mp4\"";
  if (bytes->partial) {
    out.status = 206;
    out.headers["Content-Range"] =
        vigil::text("bytes ", bytes->from, "-", bytes->from + bytes->length - 1, "/", range->size());
  }
  out.length = bytes->length;
  out.stream = [place = std::move(place), reader = std::make_shared<RecordingRange::Reader>(
                                              range, bytes->from, bytes->length)] { return reader->next(); };
  return out;
}

Response Api::preview(const Match &m) {
  const std::string &camera = m.parts[0];
  const auto at = number_of(m.request, "at");
  constexpr double latest = 1e11, around = 30;
  if (!at || *at < 0 || *at > latest) refuse(400, "at is needed, in seconds since 1970");
  const std::int64_t wanted = micros(*at);
  std::optional<Preview> best;
  std::int64_t shown = 0;
  bool settled = true;
  for (const Segment &s : segments_of(monitor_, camera, {*at - around, *at + around}, false)) {
    auto found = nearest_preview(monitor_.storage().file(preview_path(s.id)), wanted - s.start);
    if (s.open) settled = false; // a nearer one may come
    if (!found || (best && std::abs(s.start + found->at - wanted) >= std::abs(shown - wanted))) continue;
    shown = s.start + found->at;
    best = std::move(found);
  }
  if (!best) {
    if (!monitor_.call([&] { return monitor_.cameras().find(camera) != nullptr; }))
      refuse(404, "there is no camera '" + camera + "'");
    Response none; // no error: a page that scrubs asks again and again
    none.status = 204;
    none.headers = {{"Cache-Control", "private, no-cache"}};
    return none;
  }
  Response out;
  out.type = "image/jpeg";
  out.body = std::move(best->jpeg);
  out.headers = {{"Cache-Control", settled ? "private, max-age=3600" : "private, no-cache"},
                 {"X-Capture-Time", json(seconds(shown)).dump()}};
  return out;
}

Response Api::timeline(const Match &m) {
  constexpr double longest = 32 * 86400;
  const std::string &camera = m.parts[0];
  const Span span = span_of(m.request, longest, "32 days");
  const EventReader &reader = monitor_.storage().reader();
  const auto segments = segments_of(monitor_, camera, span, false);
  auto oldest = reader.recorded_since(camera);
  if (!oldest && segments.empty() &&
      !monitor_.call([&] { return monitor_.cameras().find(camera) != nullptr; }))
    refuse(404, "there is no camera '" + camera + "'");
  if (!oldest && !segments.empty()) oldest = segments.front().start;
  const std::int64_t to =
      micros(std::min(span.to, monitor_.utc().now())); // nothing is missing that is to come
  const RecordingTimeline line = make_timeline(segments, reader.gaps(camera, micros(span.from), to),
                                               micros(span.from), std::max(to, micros(span.from)));
  json recorded = json::array(), gaps = json::array();
  for (const Stretch &s : line.recorded)
    recorded.push_back({{"start", seconds(s.start)}, {"end", seconds(s.end)}});
  for (const Gap &g : line.gaps)
    gaps.push_back({{"start", seconds(g.start)}, {"end", seconds(*g.end)}, {"reason", g.reason}});
  constexpr double most_levels = 1440;
  const double step = std::max(1.0, std::ceil((span.to - span.from) / most_levels));
  return json_response(
      {{"camera", camera},
       {"from", span.from},
       {"to", span.to},
       {"oldest", oldest ? json(seconds(*oldest)) : json()},
       {"recorded", recorded},
       {"gaps", gaps},
       {"events", events_of(reader, camera, span)},
       {"motion",
        {{"start", span.from},
         {"step", step},
         {"levels", monitor_.storage().motion().levels(camera, span.from, span.to, step)}}}});
}

} // namespace vigil::monitor
