// SPDX-License-Identifier: LGPL-2.1-or-later
#include "time_plot.h"

#include "common/error.h"
#include "tools/vigil-eval/svg.h"

#include <algorithm>

namespace vigil::train {

namespace {

using eval::plot_line_height;

constexpr double left = 70, right = 20, width = 700, panel_height = 200, top = 30, between = 60;
constexpr double bar = 5, bars = 60; // height of an event's bar, of all of them at most
constexpr std::size_t note_letters = 105;

const char *colour_of(std::size_t k) {
  return eval::plot_colours[k % eval::plot_colours.size()];
}

class Panel {
 public:
  Panel(eval::Svg &svg, const TimePanel &p, double panel_top) : svg_(svg), p_(p), top_(panel_top) {
    double low = 0, high = 0;
    for (const TimeCurve &c : p.classes) {
      const auto [least, most] = std::minmax_element(c.scores.begin(), c.scores.end());
      low = std::min({low, *least, c.begin});
      high = std::max({high, *most, c.begin});
    }
    y_ = eval::make_axis(low, high, 6);
    x_ = eval::make_axis(p.frames.front(), p.frames.back(), 12);
    x_.high = std::max(p.frames.back(), x_.low + 1); // a video ends where it ends
  }
  void draw() {
    grid();
    for (const FrameRange &r : p_.unlabelled) band(r, top_, panel_height, "fill=\"#eeeeee\"");
    for (std::size_t k = 0; k < p_.classes.size(); k++) curve(p_.classes[k], k);
    svg_.rect(left, top_, width, panel_height, "fill=\"none\" stroke=\"black\"");
  }

 private:
  double x(double frame) const { return left + x_.part(frame) * width; }
  double y(double score) const { return top_ + (1 - y_.part(score)) * panel_height; }
  void band(const FrameRange &r, double at, double height, const std::string &attributes) {
    const double begin = std::max(x(r.first), left), end = std::min(x(r.last), left + width);
    svg_.rect(begin, at, std::max(end - begin, 1.), height, attributes);
  }
  double own_bar() const { return std::min(bar, bars / double(p_.classes.size())); }
  void grid() {
    constexpr const char *colour = "#dddddd";
    for (int i = 0; i <= x_.ticks(); i++) {
      const double v = x_.low + i * x_.step;
      svg_.line(x(v), top_, x(v), top_ + panel_height, colour);
      svg_.words(x(v), top_ + panel_height + plot_line_height, text(v), "middle");
    }
    for (int i = 0; i <= y_.ticks(); i++) {
      const double v = y_.low + i * y_.step;
      svg_.line(left, y(v), left + width, y(v), colour);
      svg_.words(left - 6, y(v) + 4, text(v), "end");
    }
    svg_.words(left, top_ - 8, p_.title, "start", " font-weight=\"bold\"");
    svg_.words(left + width / 2, top_ + panel_height + 2 * plot_line_height, "frame", "middle");
  }
  void curve(const TimeCurve &c, std::size_t k) {
    const std::string colour = colour_of(k);
    for (const FrameRange &r : c.truth)
      band(r, top_, panel_height, "fill=\"" + colour + "\" fill-opacity=\"0.18\" class=\"truth\"");
    for (const FrameRange &r : c.found)
      band(r, top_ + panel_height - own_bar() * double(k + 1), own_bar(),
           "fill=\"" + colour + "\" class=\"event\"");
    svg_.line(left, y(c.begin), left + width, y(c.begin), colour, " stroke-dasharray=\"6 4\"");
    svg_.polyline(points(c.scores), colour);
  }
  // Of a long video the least and the highest score of each of so many stretches.
  std::string points(const std::vector<double> &scores) const {
    constexpr std::size_t stretches = 700;
    const std::size_t length = std::max<std::size_t>(1, scores.size() / stretches);
    std::string joined;
    const auto add = [&](std::size_t i) { joined += text(x(p_.frames[i]), ',', y(scores[i]), ' '); };
    for (std::size_t i = 0; i < scores.size(); i += length) {
      const auto from = scores.begin() + std::ptrdiff_t(i),
                 to = scores.begin() + std::ptrdiff_t(std::min(i + length, scores.size()));
      const auto [least, most] = std::minmax_element(from, to);
      const auto first = std::min(least, most), second = std::max(least, most);
      add(std::size_t(first - scores.begin()));
      if (second != first) add(std::size_t(second - scores.begin()));
    }
    return joined;
  }
  eval::Svg &svg_;
  const TimePanel &p_;
  double top_;
  eval::PlotAxis x_, y_;
};

} // namespace

std::string draw_scores(const std::string &note, const std::vector<std::string> &classes,
                        const std::vector<TimePanel> &panels) {
  const std::size_t count = std::min(panels.size(), most_time_panels);
  std::string words = note +
                      ". Curves: the smoothed score of each class; dashed: the threshold at which its events "
                      "begin; tinted: frames labelled with it; bars at the bottom: its events; grey: "
                      "frames without a label.";
  if (count < panels.size()) words += text(" ", panels.size() - count, " further videos are not drawn.");
  const auto lines = eval::wrap(words, note_letters);
  const double panels_end = top + double(count) * (panel_height + between);
  eval::Svg svg(left + width + right,
                panels_end + plot_line_height * double(classes.size() + lines.size()) + 10);
  for (std::size_t i = 0; i < count; i++)
    Panel(svg, panels[i], top + double(i) * (panel_height + between)).draw();
  double at = panels_end;
  for (std::size_t k = 0; k < classes.size(); k++, at += plot_line_height) {
    svg.line(left, at - 4, left + 30, at - 4, colour_of(k));
    svg.words(left + 40, at, classes[k], "start");
  }
  for (const std::string &l : lines) {
    svg.words(left, at, l, "start");
    at += plot_line_height;
  }
  return svg.finish();
}

} // namespace vigil::train
