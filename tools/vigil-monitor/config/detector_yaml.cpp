// SPDX-License-Identifier: LGPL-2.1-or-later
#include "detector_yaml.h"

#include "../detector/answer.h"
#include "../detector/engine_module.h"
#include "common/error.h"
#include "text.h"

#include <cstdio>

namespace vigil::monitor {
namespace {

void read_size(const YamlValue &v, DetectorConfig &c) {
  const std::string s = v.text();
  constexpr int least = 16, most = 2048;
  int read = 0;
  if (std::sscanf(s.c_str(), "%5dx%5d%n", &c.width, &c.height, &read) != 2 ||
      static_cast<std::size_t>(read) != s.size())
    c.width = c.height = v.integer(least, most);
  if (c.width < least || c.height < least || c.width > most || c.height > most)
    v.refuse(vigil::text("'", s, "' is no size from ", least, "x", least, " to ", most, "x", most,
                         "; write 352 or 640x480"));
}

void read_classes(const YamlValue &v, DetectorConfig &c) {
  if (v.is_scalar() || v.is_null()) {
    c.classes_file = v.text();
    return;
  }
  v.items([&](const YamlValue &name) { c.classes.push_back(name.text()); });
}

} // namespace

DetectorConfig read_detector(const YamlValue &v) {
  constexpr double slowest = 0.1, fastest = 30;
  DetectorConfig c;
  v.members({{"model", [&](const YamlValue &x) { c.model = x.text(); }},
             {"layout",
              [&](const YamlValue &x) {
                const std::string word = x.text();
                std::string allowed;
                for (const DetectorLayout l : {DetectorLayout::classes, DetectorLayout::fastestdet,
                                               DetectorLayout::yolov5, DetectorLayout::yolov8}) {
                  allowed += (allowed.empty() ? "" : ", ") + std::string(name_of(l));
                  if (word != name_of(l)) continue;
                  c.layout = l;
                  return;
                }
                x.refuse("'" + word + "' is no layout; allowed: " + allowed);
              }},
             {"size", [&](const YamlValue &x) { read_size(x, c); }},
             {"colours",
              [&](const YamlValue &x) {
                const std::string word = x.text();
                if (word != "rgb" && word != "bgr")
                  x.refuse("'" + word + "' is no order of colours; allowed: rgb, bgr");
                c.bgr = word == "bgr";
              }},
             {"classes", [&](const YamlValue &x) { read_classes(x, c); }},
             {"labels",
              [&](const YamlValue &x) {
                x.each(
                    [&](const std::string &name, const YamlValue &label) {
                      label.here([&] { check_labels({label.text()}); });
                      c.labels[name] = label.text();
                    },
                    false);
              }},
             {"threshold", [&](const YamlValue &x) { c.threshold = x.number(0, 1); }},
             {"rate", [&](const YamlValue &x) { c.rate = x.number(slowest, fastest); }}});
  if (c.model.empty()) v.refuse("model is missing: the path of an ONNX file");
  if (c.classes.empty() && c.classes_file.empty())
    v.refuse("classes is missing: a file with a name a line, or a list [person, car]");
  try {
    need_engines();
  } catch (const Error &e) {
    v.refuse(e.what());
  }
  return c;
}

} // namespace vigil::monitor
