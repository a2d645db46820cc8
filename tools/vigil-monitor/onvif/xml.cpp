// SPDX-License-Identifier: LGPL-2.1-or-later
#include "xml.h"

#include "../printable.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"

#include <algorithm>
#include <glib.h>
#include <memory>

namespace vigil::monitor {
namespace {

constexpr std::size_t most_depth = 32, most_elements = 4096, most_attributes = 32;
constexpr std::size_t longest_space = 256; // bytes: each element has a copy

std::string without_prefix(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return std::string(colon == name.npos ? name : name.substr(colon + 1));
}

std::string trimmed(std::string_view s) {
  constexpr std::string_view spaces = " \t\r\n";
  const std::size_t from = s.find_first_not_of(spaces);
  return from == s.npos ? "" : std::string(s.substr(from, s.find_last_not_of(spaces) - from + 1));
}

std::string prefix_of(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return std::string(name.substr(0, colon == name.npos ? 0 : colon));
}

struct Namespace {
  std::size_t depth; // of the element that declares it
  std::string prefix, name;
};

struct XmlReading {
  XmlElement root;                  // whose child is the document's element
  std::vector<XmlElement *> open{}; // of which only the last one gets children
  std::size_t elements = 0;
  std::vector<Namespace> spaces{}; // that are declared here, the innermost last
};

void refuse_xml(GError **error, const char *what) {
  g_set_error_literal(error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, what);
}

void begin_element(GMarkupParseContext *, const gchar *name, const gchar **names, const gchar **values,
                   gpointer user, GError **error) {
  auto &r = *static_cast<XmlReading *>(user);
  if (r.open.size() > most_depth) return refuse_xml(error, "elements are nested too deeply");
  if (++r.elements > most_elements) return refuse_xml(error, "there are too many elements");
  XmlElement &e = r.open.back()->children.emplace_back();
  e.name = without_prefix(name);
  for (std::size_t i = 0; names[i]; i++) {
    if (i == most_attributes) return refuse_xml(error, "an element has too many attributes");
    e.attributes.emplace_back(without_prefix(names[i]), values[i]);
    const std::string_view key = names[i], space = values[i];
    if (key != "xmlns" && !key.starts_with("xmlns:")) continue;
    if (space.size() > longest_space) return refuse_xml(error, "the name of a namespace is too long");
    r.spaces.push_back({r.open.size(), key == "xmlns" ? "" : without_prefix(key), std::string(space)});
  }
  const auto space =
      std::find_if(r.spaces.rbegin(), r.spaces.rend(),
                   [prefix = prefix_of(name)](const Namespace &s) { return s.prefix == prefix; });
  if (space != r.spaces.rend()) e.space = space->name;
  r.open.push_back(&e);
}

void end_element(GMarkupParseContext *, const gchar *, gpointer user, GError **) {
  auto &r = *static_cast<XmlReading *>(user);
  if (r.open.size() < 2) return;
  r.open.back()->text = trimmed(r.open.back()->text);
  r.open.pop_back();
  while (!r.spaces.empty() && r.spaces.back().depth >= r.open.size()) r.spaces.pop_back();
}

void add_text(GMarkupParseContext *, const gchar *text, gsize size, gpointer user, GError **) {
  static_cast<XmlReading *>(user)->open.back()->text.append(text, size);
}

void other_part(GMarkupParseContext *, const gchar *text, gsize size, gpointer, GError **error) {
  const std::string_view part(text, size);
  if (part.starts_with("<!") && !part.starts_with("<!--"))
    refuse_xml(error, "a document type is not allowed here");
}

} // namespace

const XmlElement *XmlElement::child(std::string_view wanted) const {
  const auto at =
      std::find_if(children.begin(), children.end(), [&](const XmlElement &e) { return e.name == wanted; });
  return at == children.end() ? nullptr : &*at;
}

const XmlElement *XmlElement::find(std::initializer_list<std::string_view> path) const {
  const XmlElement *at = this;
  for (const std::string_view wanted : path)
    if (at) at = at->child(wanted);
  return at;
}

std::string XmlElement::text_of(std::initializer_list<std::string_view> path) const {
  const XmlElement *at = find(path);
  return at ? at->text : "";
}

std::string XmlElement::attribute(std::string_view wanted) const {
  for (const auto &[key, value] : attributes)
    if (key == wanted) return value;
  return "";
}

XmlElement read_xml(std::string_view text) {
  if (text.size() > most_xml_bytes)
    fail(Error::Kind::bad_data, "the answer has more than ", most_xml_bytes, " bytes");
  if (text.find('\0') != text.npos) fail(Error::Kind::bad_data, "the answer has a byte that XML never has");
  constexpr std::string_view mark = "\xEF\xBB\xBF"; // some devices begin with it
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  XmlReading r;
  r.open.push_back(&r.root);
  static const GMarkupParser parser = {guarded<begin_element>, guarded<end_element>, guarded<add_text>,
                                       guarded<other_part>, nullptr};
  const std::unique_ptr<GMarkupParseContext, void (*)(GMarkupParseContext *)> context(
      g_markup_parse_context_new(&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, &r, nullptr),
      g_markup_parse_context_free);
  GError *e = nullptr;
  const bool good =
      g_markup_parse_context_parse(context.get(), text.data(), static_cast<gssize>(text.size()), &e) &&
      g_markup_parse_context_end_parse(context.get(), &e);
  const gst::ErrorPtr error(e);
  if (!good)
    fail(Error::Kind::bad_data,
         "the answer is no XML that is read here: ", printable(error ? error->message : "", most_said));
  return std::move(r.root.children.front());
}

std::string xml_escaped(std::string_view s) {
  const gst::TextPtr out(g_markup_escape_text(s.data(), static_cast<gssize>(s.size())));
  return out.get();
}

} // namespace vigil::monitor
