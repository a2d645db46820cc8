// SPDX-License-Identifier: LGPL-2.1-or-later
// Values as the text of XML documents.
#pragma once

#include <glib.h>
#include <string>
#include <string_view>

namespace vigil::gst {

// Fit for the content of elements and for attributes in double quotes. Bytes that are no UTF-8 and characters
// that XML 1.0 cannot have become U+FFFD.
std::string xml_text(std::string_view);
// xs:float and xs:double, in the fewest digits that give the same number again; never of a locale.
std::string xml_number(float);
std::string xml_number(double);
// xs:dateTime in UTC with microseconds, of nanoseconds since 1970-01-01T00:00:00Z.
std::string xml_time(gint64 nanoseconds);

} // namespace vigil::gst
