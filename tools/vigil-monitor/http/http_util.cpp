// SPDX-License-Identifier: LGPL-2.1-or-later
#include "http_util.h"

#include "../config/secrets.h"
#include "auth.h"
#include "common/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

namespace vigil::monitor {

using nlohmann::json;

void refuse(int status, const std::string &what) {
  throw HttpError{status, what};
}

namespace {

void hide_secrets(json &j) {
  if (j.is_structured()) {
    for (auto &part : j) hide_secrets(part);
  } else if (j.is_string()) {
    auto &s = j.get_ref<std::string &>();
    // Names and words of the API's own (online, admin) are none, though somebody may have one for a password.
    const bool name = std::all_of(s.begin(), s.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             c == '-';
    });
    if (!name) s = without_secrets(s);
  }
}

} // namespace

std::string json_text(json j) {
  hide_secrets(j);
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

Response json_response(const json &j) {
  Response r;
  r.body = json_text(j);
  return r;
}

json json_body(const Request &r) {
  // Depth is bounded: the parser would recurse as deep as the text says when it frees.
  constexpr int deepest = 32;
  int depth = 0;
  const auto limit = [&](int, json::parse_event_t e, json &) {
    if (e == json::parse_event_t::object_start || e == json::parse_event_t::array_start) {
      if (++depth > deepest) throw HttpError{400, "the JSON in the body is too deep"};
    } else if (e == json::parse_event_t::object_end || e == json::parse_event_t::array_end) {
      depth--;
    }
    return true;
  };
  const json j = json::parse(r.body, limit, false);
  if (j.is_discarded() || !j.is_object()) refuse(400, "the body is no JSON object");
  return j;
}

void only_members(const json &body, std::initializer_list<const char *> names, const std::string &expected) {
  for (const auto &[name, value] : body.items())
    if (std::find(names.begin(), names.end(), name) == names.end()) refuse(400, "expected " + expected);
}

std::string text_member(const json &body, const char *name, const std::string &expected) {
  const auto value = body.find(name);
  if (value == body.end() || !value->is_string()) refuse(400, "expected " + expected);
  return *value;
}

std::optional<double> number_of(const Request &r, const std::string &name) {
  const auto q = r.query.find(name);
  if (q == r.query.end()) return std::nullopt;
  const std::string &s = q->second;
  double v = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (error != std::errc() || end != s.data() + s.size() || !std::isfinite(v))
    refuse(400, name + " '" + s.substr(0, 40) + "' is no number");
  return v;
}

int integer_of(const Request &r, const std::string &name, int least, int most, int otherwise) {
  const auto v = number_of(r, name);
  if (!v) return otherwise;
  if (*v < least || *v > most || *v != std::floor(*v))
    refuse(400, text(name, " must be a whole number from ", least, " to ", most));
  return static_cast<int>(*v);
}

Response file_response(const Request &r, const std::string &path, const char *type) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) refuse(404, "the file is gone");
  const auto range = parse_range(r.header("range"), size);
  if (!range) {
    Response none = error_response(416, text("the file has ", size, " bytes"));
    none.headers["Content-Range"] = text("bytes */", size);
    return none;
  }
  Response out;
  out.type = type;
  out.file = path;
  out.from = range->from;
  out.length = range->length;
  out.headers = {{"Accept-Ranges", "bytes"}, {"Cache-Control", "private, max-age=60"}};
  if (range->partial) {
    out.status = 206;
    out.headers["Content-Range"] =
        text("bytes ", range->from, "-", range->from + range->length - 1, "/", size);
  }
  return out;
}

} // namespace vigil::monitor
