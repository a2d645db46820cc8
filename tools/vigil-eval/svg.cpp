// SPDX-License-Identifier: LGPL-2.1-or-later
#include "svg.h"

#include "common/error.h"

#include <algorithm>
#include <cmath>
#include <locale>

namespace vigil::eval {

namespace {

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

} // namespace

int PlotAxis::ticks() const {
  return static_cast<int>(std::floor((high - low) / step + 1e-9));
}

PlotAxis make_axis(double low, double high, double most_ticks) {
  const double raw = std::max(high - low, 1e-3) / most_ticks;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = power * 10;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) {
      step = factor * power;
      break;
    }
  const double first = std::floor(low / step) * step;
  return {first, std::max(std::ceil(high / step) * step, first + step), step};
}

std::vector<std::string> wrap(const std::string &words, std::size_t most) {
  std::vector<std::string> lines{""};
  std::istringstream in(words);
  for (std::string word; in >> word;) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > most) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

Svg::Svg(double width, double height) {
  out_.imbue(std::locale::classic());
  out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
       << "\" viewBox=\"0 0 " << width << " " << height << "\" font-family=\"sans-serif\" font-size=\"13\">\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string &colour, const char *more) {
  out_ << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2 << "\" stroke=\""
       << colour << "\"" << more << "/>\n";
}

void Svg::rect(double x, double y, double width, double height, const std::string &attributes) {
  out_ << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width << "\" height=\"" << height << "\" "
       << attributes << "/>\n";
}

void Svg::words(double x, double y, const std::string &what, const char *anchor, const std::string &more) {
  out_ << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\"" << more << ">"
       << escape(what) << "</text>\n";
}

void Svg::polyline(const std::string &points, const std::string &colour) {
  out_ << "<polyline fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"1.5\" points=\"" << points
       << "\"/>\n";
}

void Svg::dot(double x, double y, const std::string &colour, const std::string &label) {
  out_ << "<circle cx=\"" << x << "\" cy=\"" << y << "\" r=\"3\" fill=\"" << colour << "\"><title>"
       << escape(label) << "</title></circle>\n";
}

} // namespace vigil::eval
