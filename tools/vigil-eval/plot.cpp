// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plot.h"

#include "common/error.h"
#include "svg.h"

#include <algorithm>
#include <cmath>

namespace vigil::eval {

namespace {

constexpr double left = 70, top = 40, plot_width = 520, plot_height = 400, right = 20, bottom = 60;
constexpr double legend_gap = 30;
constexpr std::size_t note_letters = 78; // of a line below the plot

PlotAxis percent_axis(double low, double high) {
  PlotAxis a = make_axis(low, high, 8);
  a.low = std::max(0.0, a.low);
  a.high = std::min(100.0, a.high);
  return a;
}

bool usable(const RocPoint &p) {
  return !std::isnan(p.false_positive_rate) && !std::isnan(p.true_positive_rate);
}

class Drawing {
 public:
  Drawing(const std::vector<RocCurve> &, std::size_t note_lines);
  void frame(const std::string &title, const RocAxes &);
  void curve(const RocCurve &, std::size_t index);
  void note(const std::string &what, std::size_t line) { svg_.words(left, legend_line(line), what, "start"); }
  std::string finish() { return svg_.finish(); }

 private:
  static Svg canvas(std::size_t lines) {
    return {left + plot_width + right,
            top + plot_height + bottom + legend_gap + plot_line_height * static_cast<double>(lines)};
  }
  static double legend_line(std::size_t index) {
    return top + plot_height + bottom + legend_gap + plot_line_height * static_cast<double>(index) - 10;
  }
  double x(double percent) const { return left + x_.part(percent) * plot_width; }
  double y(double percent) const { return top + (1 - y_.part(percent)) * plot_height; }
  Svg svg_;
  PlotAxis x_, y_;
};

Drawing::Drawing(const std::vector<RocCurve> &curves, std::size_t note_lines)
    : svg_(canvas(curves.size() + note_lines)) {
  double most_x = 0, least_y = 100;
  for (const RocCurve &c : curves)
    for (const RocPoint &p : c.points)
      if (usable(p)) {
        most_x = std::max(most_x, 100 * p.false_positive_rate);
        least_y = std::min(least_y, 100 * p.true_positive_rate);
      }
  x_ = percent_axis(0, most_x);
  y_ = percent_axis(least_y, 100);
}

void Drawing::frame(const std::string &title, const RocAxes &axes) {
  constexpr const char *grid = "#dddddd";
  for (int i = 0; i <= x_.ticks(); i++) {
    const double v = x_.low + i * x_.step;
    svg_.line(x(v), top, x(v), top + plot_height, grid);
    svg_.words(x(v), top + plot_height + plot_line_height, text(v), "middle");
  }
  for (int i = 0; i <= y_.ticks(); i++) {
    const double v = y_.low + i * y_.step;
    svg_.line(left, y(v), left + plot_width, y(v), grid);
    svg_.words(left - 6, y(v) + 4, text(v), "end");
  }
  svg_.rect(left, top, plot_width, plot_height, "fill=\"none\" stroke=\"black\"");
  svg_.words(left + plot_width / 2, top - 14, title, "middle", " font-weight=\"bold\"");
  svg_.words(left + plot_width / 2, top + plot_height + 2.4 * plot_line_height,
             "false positives (% of " + axes.negatives + ")", "middle");
  const double middle = top + plot_height / 2;
  svg_.words(20, middle, "true positives (% of " + axes.positives + ")", "middle",
             text(" transform=\"rotate(-90 20 ", middle, ")\""));
}

void Drawing::curve(const RocCurve &curve, std::size_t index) {
  const char *colour = plot_colours[index % plot_colours.size()];
  std::string joined;
  for (const RocPoint &p : curve.points)
    if (usable(p)) joined += text(x(100 * p.false_positive_rate), ',', y(100 * p.true_positive_rate), ' ');
  svg_.polyline(joined, colour);
  for (const RocPoint &p : curve.points)
    if (usable(p)) svg_.dot(x(100 * p.false_positive_rate), y(100 * p.true_positive_rate), colour, p.label);
  const double legend = legend_line(index);
  svg_.line(left, legend - 4, left + 30, legend - 4, colour);
  svg_.words(left + 40, legend, curve.name, "start");
}

} // namespace

std::string draw_roc(const std::string &title, const std::string &note, const std::vector<RocCurve> &curves,
                     const RocAxes &axes) {
  const auto note_lines = wrap(note, note_letters);
  Drawing drawing(curves, note_lines.size());
  drawing.frame(title, axes);
  for (std::size_t i = 0; i < curves.size(); i++) drawing.curve(curves[i], i);
  for (std::size_t i = 0; i < note_lines.size(); i++) drawing.note(note_lines[i], curves.size() + i);
  return drawing.finish();
}

} // namespace vigil::eval
