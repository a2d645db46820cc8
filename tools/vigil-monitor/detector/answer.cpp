// SPDX-License-Identifier: LGPL-2.1-or-later
#include "answer.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

namespace vigil::monitor {
namespace {

std::string shape_text(const std::vector<int> &shape) {
  std::string out;
  for (const int n : shape) out += (out.empty() ? "" : "x") + std::to_string(n);
  return out.empty() ? "nothing" : out;
}

// An output as rows of candidates: value `field` of candidate i.
struct Rows {
  std::span<const float> values;
  std::size_t count = 0, fields = 0;
  bool field_first = false; // all candidates' first field, then all candidates' second one
  float at(std::size_t i, std::size_t field) const {
    return values[field_first ? field * count + i : i * fields + field];
  }
};

std::size_t fields_before_classes(DetectorLayout layout) {
  if (layout == DetectorLayout::classes) return 0;
  return layout == DetectorLayout::yolov8 ? 4 : 5;
}

// The sizes that are not 1 at the front.
std::vector<int> significant(const std::vector<int> &shape) {
  auto first = shape.begin();
  while (first != shape.end() && *first == 1) ++first;
  return {first, shape.end()};
}

std::optional<Rows> rows_of(const NetworkOutput &out, DetectorLayout layout, std::size_t classes) {
  const std::size_t fields = fields_before_classes(layout) + classes;
  const double total = std::accumulate(out.shape.begin(), out.shape.end(), 1., std::multiplies<>());
  if (total != static_cast<double>(out.values.size())) return std::nullopt;
  Rows rows{out.values, 0, fields, layout == DetectorLayout::fastestdet || layout == DetectorLayout::yolov8};
  if (layout == DetectorLayout::classes) {
    if (out.values.size() != classes) return std::nullopt;
    rows.count = 1;
    return rows;
  }
  const std::vector<int> s = significant(out.shape);
  const std::size_t dimensions = layout == DetectorLayout::fastestdet ? 3 : 2;
  if (s.size() != dimensions || out.values.size() % fields) return std::nullopt;
  const int found = rows.field_first ? s.front() : s.back();
  if (found < 0 || static_cast<std::size_t>(found) != fields) return std::nullopt;
  rows.count = out.values.size() / fields;
  return rows;
}

bool is_finite(const Rows &rows, std::size_t i) {
  for (std::size_t n = 0; n < rows.fields; n++)
    if (!std::isfinite(rows.at(i, n))) return false;
  return true;
}

double logistic(double z) {
  return 1 / (1 + std::exp(-z));
}

std::vector<double> probabilities(std::span<const float> values) {
  std::vector<double> out(values.begin(), values.end());
  const double sum = std::accumulate(out.begin(), out.end(), 0.);
  constexpr double nearly = 0.02;
  const bool are =
      std::abs(sum - 1) < nearly && std::all_of(out.begin(), out.end(), [](double v) { return v >= 0; });
  if (are) return out;
  const double most = *std::max_element(out.begin(), out.end());
  double all = 0;
  for (double &v : out) all += v = std::exp(v - most);
  for (double &v : out) v /= all;
  return out;
}

double overlap(const Rect &a, const Rect &b) {
  const double w = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x),
               h = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  if (w <= 0 || h <= 0) return 0;
  return w * h / (a.width * a.height + b.width * b.height - w * h);
}

class Reader {
 public:
  Reader(const NetworkOutput &out, const Rows &rows, const DetectorConfig &config, std::size_t classes)
      : out_(out), rows_(rows), config_(config), classes_(classes),
        before_(fields_before_classes(config.layout)) {}

  Finding read(std::size_t i) const {
    if (config_.layout == DetectorLayout::classes) {
      const auto p = probabilities(out_.values);
      const auto best = std::max_element(p.begin(), p.end());
      return {static_cast<std::size_t>(best - p.begin()), *best, {0, 0, 1, 1}};
    }
    Finding f;
    float most = -1;
    for (std::size_t c = 0; c < classes_; c++)
      if (const float v = rows_.at(i, before_ + c); v > most) {
        most = v;
        f.cls = c;
      }
    const double cls = std::clamp(double{most}, 0., 1.);
    if (config_.layout == DetectorLayout::fastestdet) {
      const std::vector<int> s = significant(out_.shape);
      const auto across = static_cast<std::size_t>(s[2]);
      const double columns = s[2], lines = s[1];
      f.score = std::pow(std::clamp(field(i, 0), 0., 1.), 0.6) * std::pow(cls, 0.4);
      set_box(f, (static_cast<double>(i % across) + std::tanh(field(i, 1))) / columns,
              (static_cast<double>(i / across) + std::tanh(field(i, 2))) / lines, logistic(field(i, 3)),
              logistic(field(i, 4)));
      return f;
    }
    f.score = config_.layout == DetectorLayout::yolov5 ? std::clamp(field(i, 4), 0., 1.) * cls : cls;
    set_box(f, field(i, 0) / config_.width, field(i, 1) / config_.height, field(i, 2) / config_.width,
            field(i, 3) / config_.height);
    return f;
  }

 private:
  double field(std::size_t i, std::size_t n) const { return double{rows_.at(i, n)}; }
  static void set_box(Finding &f, double x, double y, double width, double height) {
    f.box = {x - width / 2, y - height / 2, width, height};
  }
  const NetworkOutput &out_;
  const Rows rows_;
  const DetectorConfig &config_;
  const std::size_t classes_, before_;
};

} // namespace

const char *name_of(DetectorLayout layout) {
  constexpr const char *names[] = {"classes", "fastestdet", "yolov5", "yolov8"};
  return names[static_cast<std::size_t>(layout)];
}

void check_output(const NetworkOutput &out, const DetectorConfig &config, std::size_t classes) {
  if (const auto rows = rows_of(out, config.layout, classes)) {
    std::size_t i = 0;
    while (i < rows->count && !is_finite(*rows, i)) i++;
    if (i < rows->count || rows->count == 0) return;
    fail(
        Error::Kind::bad_data, "the model's output of ", shape_text(out.shape),
        " says nothing: each candidate has a value that is infinite or no number; export the model again, as "
        "float32 and with the preprocessing that it was trained with");
  }
  const std::size_t fields = fields_before_classes(config.layout) + classes;
  std::string wanted = text("1x", fields);
  if (config.layout == DetectorLayout::fastestdet) wanted += "xHxW";
  if (config.layout == DetectorLayout::yolov8) wanted += "xN";
  if (config.layout == DetectorLayout::yolov5) wanted = text("1xNx", fields);
  fail(Error::Kind::bad_data, "the model's output is ", shape_text(out.shape), ", and layout ",
       name_of(config.layout), " with ", classes, " classes needs ", wanted,
       "; set layout and classes as the model was exported");
}

std::optional<Finding> finding_at(const Rect &object, const NetworkOutput &out, const DetectorConfig &config,
                                  std::size_t classes) {
  constexpr double least = 0.25;
  const auto rows = rows_of(out, config.layout, classes);
  if (!rows) return std::nullopt;
  const Reader reader(out, *rows, config, classes);
  std::optional<Finding> best;
  double most = 0;
  for (std::size_t i = 0; i < rows->count; i++) {
    const Finding f = reader.read(i);
    if (!(f.score >= config.threshold)) continue; // nor when it is no number
    const double fits = config.layout == DetectorLayout::classes ? 1 : overlap(f.box, object);
    if (!(fits >= least) || f.score * fits <= most) continue;
    most = f.score * fits;
    best = f;
  }
  return best;
}

} // namespace vigil::monitor
