// SPDX-License-Identifier: LGPL-2.1-or-later
#include "records.h"

#include "common/array_file.h"
#include "common/error.h"

#include <algorithm>

namespace vigil::scan {

namespace {

constexpr ArrayFormat vector_format{"VIGILSCN", 1, "the file of vectors"};

double seconds(Time t) {
  return static_cast<double>(t) / static_cast<double>(second);
}

Json numbers(const Box &b) {
  return Json::array({b.x, b.y, b.width, b.height});
}
Box box(const Json &j) {
  return {j.at(0), j.at(1), j.at(2), j.at(3)};
}

// Names of files need not be UTF-8.
std::string dump(const Json &j) {
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string event_id(const SourceFile &file, const Event &e) {
  constexpr std::size_t hash = 16; // letters at the end of the name
  return text(file.name.substr(file.name.size() - std::min(hash, file.name.size())), '-', e.begin / 1'000'000,
              '-', e.label);
}

} // namespace

std::string lines_of(const SourceFile &file, const std::vector<Findings> &parts) {
  std::string out;
  const auto put = [&](const Json &j) { out += dump(j) + '\n'; };
  const auto record = [](const char *kind) { return Json{{"record", kind}}; };
  Json head = record("file");
  head["path"] = file.path;
  head["name"] = file.name;
  head["bytes"] = file.bytes;
  head["digest"] = file.digest;
  head["width"] = parts.front().width;
  head["height"] = parts.front().height;
  put(head);
  for (const Event &e : join_events(parts)) {
    Json j = record("event");
    j["id"] = event_id(file, e);
    j["label"] = e.label;
    j["begin"] = seconds(e.begin);
    j["end"] = seconds(e.end);
    put(j);
  }
  std::int64_t frames = 0;
  std::map<std::int64_t, Activity> activity;
  for (const Findings &f : parts) {
    frames += f.frames;
    for (const auto &[s, a] : f.activity) { // a part's border may lie within a second
      Activity &all = activity[s];
      all = {std::max(all.boxes, a.boxes), std::max(all.area, a.area)};
    }
    for (const Track &t : f.tracks) {
      Json j = record("track");
      j["id"] = text(f.part.index, '.', t.id);
      j["type"] = t.type;
      j["begin"] = seconds(t.begin);
      j["end"] = seconds(t.end);
      j["first"] = numbers(t.first);
      j["last"] = numbers(t.last);
      if (t.from_before) j["from_before"] = true;
      if (t.goes_on) j["goes_on"] = true;
      put(j);
    }
  }
  for (const Findings &f : parts)
    for (const Happening &h : f.happenings) {
      Json j = record("message");
      j["name"] = h.fields.at("name");
      j["time"] = seconds(h.time);
      j.update(h.fields);
      put(j);
    }
  for (const auto &[s, a] : activity) {
    Json j = record("activity");
    j["second"] = s;
    j["boxes"] = a.boxes;
    j["area"] = a.area;
    put(j);
  }
  Json tail = record("end");
  tail["frames"] = frames;
  tail["seconds"] = seconds(parts.back().last);
  const auto broken =
      std::find_if(parts.begin(), parts.end(), [](const Findings &f) { return !f.broken_off.empty(); });
  tail["complete"] = broken == parts.end();
  if (broken != parts.end()) tail["reason"] = broken->broken_off;
  put(tail);
  return out;
}

std::string text_of(const SourceFile &file, const Findings &f) {
  Json j;
  j["record"] = "part";
  j["path"] = file.path;
  j["digest"] = file.digest;
  j["index"] = f.part.index;
  j["begin"] = f.part.begin;
  j["end"] = f.part.end;
  j["frames"] = f.frames;
  j["width"] = f.width;
  j["height"] = f.height;
  j["last"] = f.last;
  j["broken_off"] = f.broken_off;
  j["open_at_begin"] = f.open_at_begin;
  j["changes"] = j["happenings"] = j["tracks"] = j["activity"] = Json::array();
  for (const Change &c : f.changes) j["changes"].push_back(Json::array({c.label, c.begins, c.time}));
  for (const Happening &h : f.happenings) j["happenings"].push_back(Json::array({h.time, h.fields}));
  for (const Track &t : f.tracks)
    j["tracks"].push_back(Json::array(
        {t.id, t.type, t.begin, t.end, numbers(t.first), numbers(t.last), t.from_before, t.goes_on}));
  for (const auto &[s, a] : f.activity) j["activity"].push_back(Json::array({s, a.boxes, a.area}));
  return dump(j) + '\n';
}

Findings findings_of(const SourceFile &file, const std::string &words) {
  try {
    const Json j = Json::parse(words);
    if (j.at("record") != "part" || j.at("digest") != file.digest)
      fail(Error::Kind::bad_data, "it is of another file, or of one that has changed");
    Findings f;
    f.part = {j.at("index"), j.at("begin"), j.at("end")};
    f.frames = j.at("frames");
    f.width = j.at("width");
    f.height = j.at("height");
    f.last = j.at("last");
    f.broken_off = j.at("broken_off");
    f.open_at_begin = j.at("open_at_begin").get<std::set<std::string>>();
    for (const Json &c : j.at("changes")) f.changes.push_back({c.at(0), c.at(1), c.at(2)});
    for (const Json &h : j.at("happenings")) f.happenings.push_back({h.at(0), h.at(1)});
    for (const Json &t : j.at("tracks"))
      f.tracks.push_back({t.at(0), t.at(1), t.at(2), t.at(3), box(t.at(4)), box(t.at(5)), t.at(6), t.at(7)});
    for (const Json &a : j.at("activity")) f.activity[a.at(0)] = {a.at(1), a.at(2)};
    return f;
  } catch (const nlohmann::json::exception &e) {
    fail(Error::Kind::bad_data, "it is damaged: ", e.what());
  }
}

std::vector<std::uint8_t> bytes_of(const VectorTable &t) {
  ArrayWriter out(vector_format);
  out.add("path", t.path);
  out.add("times", {t.times.size()}, t.times);
  out.add("values", {t.times.size(), t.length}, t.values);
  return out.finish();
}

VectorTable table_of(std::span<const std::uint8_t> bytes) {
  const ArrayReader in(vector_format, bytes);
  VectorTable t{in.text("path"), in.doubles("times", {ArrayReader::any}), {}, 0};
  const Shape shape = in.shape("values");
  if (shape.size() == 2) t.length = shape[1];
  t.values = in.floats("values", {t.times.size(), t.length});
  return t;
}

VectorTable table_of(const SourceFile &file, const std::vector<Findings> &parts) {
  VectorTable t{file.path, {}, {}, 0};
  for (const Findings &f : parts)
    for (const Vector &v : f.vectors) {
      if (t.length == 0) t.length = v.values.size();
      if (v.values.size() != t.length)
        fail(Error::Kind::bad_data, "vectors of ", t.length, " and of ", v.values.size(),
             " values in one file");
      t.times.push_back(seconds(v.time));
      t.values.insert(t.values.end(), v.values.begin(), v.values.end());
    }
  return t;
}

} // namespace vigil::scan
