// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties of elements, described from their GParamSpecs, and set from text or JSON.
#pragma once

#include "../config/config.h"

#include <functional>
#include <gst/gst.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace vigil::monitor {

// Throws Error::bad_setting when the text is no value of that property, or there is none; says what is
// allowed.
void set_property(GstElement *, const std::string &property, const std::string &value);
// Sets all of them. The setting `preset` names one of the element's presets (GstPreset), which comes first,
// so that the others win over it. What is refused goes to `refused` with the reason; the rest is set.
void apply_settings(GstElement *, const std::map<std::string, Setting> &,
                    const std::function<void(const std::string &)> &refused);
// JSON's true, 3, 0.5 or "text" as that text.
std::string property_text(const nlohmann::json &);

// An Element of the API: every property that a person may want to see. `configured` are the configuration's
// settings of this element, `overridden` those of the page.
nlohmann::json describe_element(GstElement *, const std::map<std::string, Setting> &configured,
                                const std::map<std::string, Setting> &overridden);
// "cudamog background-sigma=6 median=9": what differs from the defaults.
std::string launch_text(GstElement *);

// True when the property can change while the element plays; when not, the camera restarts with it.
bool changes_while_playing(GstElement *, const std::string &property);
// The monitor uses these itself.
bool is_reserved(const std::string &element, const std::string &property);

// Looks every setting up in the elements' classes. Throws Error::bad_setting with the place.
void check_settings(const ElementSettings &);

} // namespace vigil::monitor
