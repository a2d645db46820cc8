// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plot.h"

#include "common/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <locale>
#include <sstream>

namespace vigil::eval {

namespace {

// Colours that differ for colour-blind readers as well (Okabe and Ito 2008).
constexpr std::array colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"};
constexpr double left = 70, top = 40, plot_width = 520, plot_height = 400, right = 20, bottom = 60;
constexpr double line_height = 18, legend_gap = 30;

// An axis in per cent whose ticks lie on round numbers.
struct Axis {
  double low, high, step;
};
Axis make_axis(double low, double high) {
  constexpr double most_ticks = 8;
  const double raw = std::max(high - low, 1e-3) / most_ticks;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = power * 10;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) {
      step = factor * power;
      break;
    }
  return {std::max(0.0, std::floor(low / step) * step), std::min(100.0, std::ceil(high / step) * step), step};
}

std::string escape(const std::string &s) {
  std::string out;
  for (const char c : s) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

// Lines that fit below the plot, broken at spaces.
std::vector<std::string> wrap(const std::string &words) {
  constexpr std::size_t most = 78;
  std::vector<std::string> lines{""};
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > most) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

class Drawing {
 public:
  Drawing(const std::vector<RocCurve> &, std::size_t note_lines);
  void frame(const std::string &title, const RocAxes &);
  void curve(const RocCurve &, std::size_t index);
  void note(const std::string &what, std::size_t line) { words(left, legend_line(line), what, "start"); }
  std::string finish() { return out_.str() + "</svg>\n"; }

 private:
  double x(double percent) const { return left + (percent - x_.low) / (x_.high - x_.low) * plot_width; }
  static double legend_line(std::size_t index) {
    return top + plot_height + bottom + legend_gap + line_height * static_cast<double>(index) - 10;
  }
  double y(double percent) const { return top + (y_.high - percent) / (y_.high - y_.low) * plot_height; }
  void line(double x1, double y1, double x2, double y2, const char *colour) {
    out_ << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2 << "\" stroke=\""
         << colour << "\"/>\n";
  }
  void words(double at_x, double at_y, const std::string &what, const char *anchor, const char *more = "") {
    out_ << "<text x=\"" << at_x << "\" y=\"" << at_y << "\" text-anchor=\"" << anchor << "\"" << more << ">"
         << escape(what) << "</text>\n";
  }
  std::ostringstream out_;
  Axis x_, y_;
};

bool usable(const RocPoint &p) {
  return !std::isnan(p.false_positive_rate) && !std::isnan(p.true_positive_rate);
}

Drawing::Drawing(const std::vector<RocCurve> &curves, std::size_t note_lines) {
  double most_x = 0, least_y = 100;
  for (const RocCurve &c : curves)
    for (const RocPoint &p : c.points)
      if (usable(p)) {
        most_x = std::max(most_x, 100 * p.false_positive_rate);
        least_y = std::min(least_y, 100 * p.true_positive_rate);
      }
  x_ = make_axis(0, most_x);
  y_ = make_axis(least_y, 100);
  out_.imbue(std::locale::classic());
  const double width = left + plot_width + right;
  const double height =
      top + plot_height + bottom + legend_gap + line_height * static_cast<double>(curves.size() + note_lines);
  out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
       << "\" viewBox=\"0 0 " << width << " " << height << "\" font-family=\"sans-serif\" font-size=\"13\">\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
}

void Drawing::frame(const std::string &title, const RocAxes &axes) {
  constexpr const char *grid = "#dddddd";
  const auto count = [](const Axis &a) {
    return static_cast<int>(std::floor((a.high - a.low) / a.step + 1e-9));
  };
  for (int i = 0; i <= count(x_); i++) {
    const double v = x_.low + i * x_.step;
    line(x(v), top, x(v), top + plot_height, grid);
    words(x(v), top + plot_height + line_height, text(v), "middle");
  }
  for (int i = 0; i <= count(y_); i++) {
    const double v = y_.low + i * y_.step;
    line(left, y(v), left + plot_width, y(v), grid);
    words(left - 6, y(v) + 4, text(v), "end");
  }
  out_ << "<rect x=\"" << left << "\" y=\"" << top << "\" width=\"" << plot_width << "\" height=\""
       << plot_height << "\" fill=\"none\" stroke=\"black\"/>\n";
  words(left + plot_width / 2, top - 14, title, "middle", " font-weight=\"bold\"");
  words(left + plot_width / 2, top + plot_height + 2.4 * line_height,
        "false positives (% of " + axes.negatives + ")", "middle");
  const double middle = top + plot_height / 2;
  words(20, middle, "true positives (% of " + axes.positives + ")", "middle",
        text(" transform=\"rotate(-90 20 ", middle, ")\"").c_str());
}

void Drawing::curve(const RocCurve &curve, std::size_t index) {
  const char *colour = colours[index % colours.size()];
  std::string joined;
  for (const RocPoint &p : curve.points)
    if (usable(p)) joined += text(x(100 * p.false_positive_rate), ',', y(100 * p.true_positive_rate), ' ');
  out_ << "<g stroke=\"" << colour << "\" fill=\"" << colour
       << "\">\n<polyline fill=\"none\" stroke-width=\"1.5\" points=\"" << joined << "\"/>\n";
  for (const RocPoint &p : curve.points)
    if (usable(p))
      out_ << "<circle cx=\"" << x(100 * p.false_positive_rate) << "\" cy=\"" << y(100 * p.true_positive_rate)
           << "\" r=\"3\"><title>" << escape(p.label) << "</title></circle>\n";
  const double legend = legend_line(index);
  line(left, legend - 4, left + 30, legend - 4, colour);
  out_ << "</g>\n";
  words(left + 40, legend, curve.name, "start");
}

} // namespace

std::string draw_roc(const std::string &title, const std::string &note, const std::vector<RocCurve> &curves,
                     const RocAxes &axes) {
  const auto note_lines = wrap(note);
  Drawing drawing(curves, note_lines.size());
  drawing.frame(title, axes);
  for (std::size_t i = 0; i < curves.size(); i++) drawing.curve(curves[i], i);
  for (std::size_t i = 0; i < note_lines.size(); i++) drawing.note(note_lines[i], curves.size() + i);
  return drawing.finish();
}

} // namespace vigil::eval
