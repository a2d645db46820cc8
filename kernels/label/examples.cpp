// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/label/examples.h"

#include "common/base64url.h"
#include "common/error.h"
#include "kernels/label/appearance.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace vigil::label {
namespace {

using Json = nlohmann::json;
constexpr int version = 1;

template <class... Parts>
[[noreturn]] void refuse(const Parts &...parts) {
  fail(Error::Kind::bad_data, "the file of labels: ", parts...);
}

Json parse(std::string_view text) {
  if (text.size() > largest_examples_file)
    refuse("it has ", text.size(), " bytes, ", largest_examples_file, " are the most");
  // Deeper than any such file: the values would be built first and refused later.
  const auto flat = [](int depth, Json::parse_event_t, Json &) {
    constexpr int deepest = 8;
    if (depth > deepest) refuse("its values are nested more than ", deepest, " deep");
    return true;
  };
  try {
    return Json::parse(text, flat);
  } catch (const Json::exception &e) {
    refuse("it is no JSON: ", e.what());
  }
}

const Json *member(const Json &j, const char *name) {
  const auto found = j.find(name);
  return found == j.end() ? nullptr : &*found;
}

std::string word(const Json &j, const char *name, std::size_t at, bool may_miss) {
  const Json *v = member(j, name);
  if (!v && may_miss) return "";
  if (!v || !v->is_string()) refuse("example ", at, " has no text \"", name, "\"");
  return v->get<std::string>();
}

std::optional<double> number(const Json &v) {
  if (!v.is_number()) return std::nullopt;
  const double d = v.get<double>();
  // A feature or a part of a vector is of the order of 1.
  return std::isfinite(d) && std::abs(d) < 1e6 ? std::optional(d) : std::nullopt;
}

Features read_shape(const Json *shape, std::size_t at) {
  Features out = Subject::unknown_features();
  if (!shape) return out;
  if (!shape->is_object()) refuse("example ", at, ": \"shape\" is ", shape->type_name(), ", not an object");
  for (std::size_t i = 0; i < feature_count; i++) {
    const char *name = name_of(static_cast<Feature>(i));
    const Json *v = member(*shape, name);
    if (!v || v->is_null()) continue;
    const auto d = number(*v);
    if (!d) refuse("example ", at, ": the feature \"", name, "\" is no possible number");
    out[i] = static_cast<float>(*d);
  }
  return out;
}

std::vector<float> read_appearance(const Json *values, std::size_t at) {
  std::vector<float> out;
  if (!values) return out;
  if (!values->is_array() || (!values->empty() && values->size() != appearance_length))
    refuse("example ", at, ": \"appearance\" is no list of ", appearance_length, " numbers");
  for (const Json &v : *values) {
    const auto d = number(v);
    if (!d || std::abs(*d) > 1.001)
      refuse("example ", at, ": \"appearance\" holds what is no number from -1 to 1");
    out.push_back(static_cast<float>(*d));
  }
  return out;
}

Picture read_picture(const Json *text, std::size_t at) {
  if (!text) return {};
  if (!text->is_string()) refuse("example ", at, ": \"picture\" is ", text->type_name(), ", not a text");
  std::string bytes;
  try {
    bytes = from_base64url(text->get_ref<const std::string &>());
  } catch (const Error &e) {
    refuse("example ", at, ": \"picture\": ", e.what());
  }
  if (bytes.size() != picture_bytes)
    refuse("example ", at, ": \"picture\" has ", bytes.size(), " bytes, not ", picture_bytes);
  return {bytes.begin(), bytes.end()};
}

TaughtExample read_example(const Json &j, std::size_t at) {
  if (!j.is_object()) refuse("example ", at, " is ", j.type_name(), ", not an object");
  TaughtExample e;
  e.example.name = word(j, "label", at, false);
  if (!is_name(e.example.name))
    refuse("example ", at, ": a label is 1 to ", longest_name, " bytes of UTF-8 without control characters");
  if (const Json *is = member(j, "is")) {
    if (!is->is_boolean()) refuse("example ", at, ": \"is\" is ", is->type_name(), ", not true or false");
    e.example.is = is->get<bool>();
  }
  e.event = word(j, "event", at, true);
  e.camera = word(j, "camera", at, true);
  e.codebook = word(j, "codebook", at, true);
  constexpr std::size_t longest = 256;
  for (const std::string *s : {&e.event, &e.camera, &e.codebook})
    if (s->size() > longest)
      refuse("example ", at, ": the name of an event, camera or codebook is longer than ", longest, " bytes");
  if (const Json *time = member(j, "time")) {
    if (!time->is_number() || !std::isfinite(time->get<double>()))
      refuse("example ", at, ": \"time\" is no number");
    e.time = time->get<double>();
  }
  e.example.subject.shape = read_shape(member(j, "shape"), at);
  e.example.subject.appearance = read_appearance(member(j, "appearance"), at);
  e.picture = read_picture(member(j, "picture"), at);
  return e;
}

} // namespace

std::string write_examples(std::span<const TaughtExample> examples) {
  Json list = Json::array();
  for (const TaughtExample &e : examples) {
    Json shape = Json::object();
    for (std::size_t i = 0; i < feature_count; i++)
      if (const float v = e.example.subject.shape[i]; std::isfinite(v))
        shape[name_of(static_cast<Feature>(i))] = v;
    Json j{{"label", e.example.name}, {"is", e.example.is}, {"time", e.time}, {"shape", std::move(shape)}};
    if (!e.event.empty()) j["event"] = e.event;
    if (!e.camera.empty()) j["camera"] = e.camera;
    if (!e.codebook.empty()) j["codebook"] = e.codebook;
    if (!e.example.subject.appearance.empty()) j["appearance"] = e.example.subject.appearance;
    if (!e.picture.empty())
      j["picture"] = base64url({reinterpret_cast<const char *>(e.picture.data()), e.picture.size()});
    list.push_back(std::move(j));
  }
  return Json{{"format", "vigil-labels"}, {"version", version}, {"examples", std::move(list)}}.dump();
}

std::vector<TaughtExample> read_examples(std::string_view text) {
  const Json all = parse(text);
  if (!all.is_object() || all.value("format", Json()) != "vigil-labels")
    refuse("it does not begin as such a file does, with \"format\": \"vigil-labels\"");
  const Json *v = member(all, "version");
  if (!v || !v->is_number_integer()) refuse("it has no version");
  if (*v != version) refuse("its version is ", v->dump(), ", this program reads version ", version);
  const Json *list = member(all, "examples");
  if (!list || !list->is_array()) refuse("it has no list \"examples\"");
  if (list->size() > most_examples)
    refuse("it has ", list->size(), " examples, ", most_examples, " are the most");
  std::vector<TaughtExample> out;
  for (const Json &j : *list) out.push_back(read_example(j, out.size() + 1));
  return out;
}

std::vector<Example> examples_of(std::span<const TaughtExample> taught) {
  std::vector<Example> out;
  for (const TaughtExample &t : taught) {
    out.push_back(t.example);
    out.back().place = t.camera;
  }
  return out;
}

std::vector<Example> examples_of(std::span<const TaughtExample> taught, std::string_view codebook,
                                 std::size_t *set_aside) {
  std::vector<Example> out = examples_of(taught);
  std::size_t others = 0;
  for (std::size_t i = 0; i < taught.size(); i++) {
    if (out[i].subject.appearance.empty() || taught[i].codebook == codebook) continue;
    out[i].subject.appearance.clear();
    others++;
  }
  if (set_aside) *set_aside = others;
  return out;
}

} // namespace vigil::label
