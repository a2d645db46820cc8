// SPDX-License-Identifier: LGPL-2.1-or-later
// XML of a device that nobody trusts, by GLib's parser: limits of size, depth and number, and no document
// type, so that there are no entities but the five of XML. Prefixes of namespaces are left out of names:
// devices choose them freely, and the names that are looked for are ONVIF's own.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

struct XmlElement {
  std::string name, text; // of the element itself; spaces around the text are left out
  std::string space;      // its namespace; empty: none
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;

  const XmlElement *child(std::string_view name) const;                       // the first; null: none
  const XmlElement *find(std::initializer_list<std::string_view> path) const; // child of child
  std::string text_of(std::initializer_list<std::string_view> path) const;    // empty: there is none
  std::string attribute(std::string_view name) const;                         // likewise
};

constexpr std::size_t most_xml_bytes = 256 << 10;

// Throws Error::bad_data.
XmlElement read_xml(std::string_view);
std::string xml_escaped(std::string_view);

} // namespace vigil::monitor
