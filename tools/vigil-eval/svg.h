// SPDX-License-Identifier: LGPL-2.1-or-later
// The pieces of which plots are drawn as SVG pictures. Coordinates are in pixels, y grows downwards.
#pragma once

#include <array>
#include <sstream>
#include <string>
#include <vector>

namespace vigil::eval {

// Colours that differ for colour-blind readers as well (Okabe and Ito 2008).
inline constexpr std::array plot_colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                         "#E69F00", "#56B4E9", "#000000"};
inline constexpr double plot_line_height = 18;

// An axis whose ticks lie on round numbers and whose ends are ticks. `most_ticks`: about as many at most.
struct PlotAxis {
  double low = 0, high = 1, step = 1;
  double part(double value) const { return (value - low) / (high - low); } // 0 at the low end, 1 at the high
  int ticks() const;                                                       // intervals between ticks
};
PlotAxis make_axis(double low, double high, double most_ticks);

// Lines of at most so many letters, broken at spaces.
std::vector<std::string> wrap(const std::string &words, std::size_t most);

class Svg {
 public:
  Svg(double width, double height);
  void line(double x1, double y1, double x2, double y2, const std::string &colour, const char *more = "");
  void rect(double x, double y, double width, double height, const std::string &attributes);
  // `anchor`: start, middle or end. `more`: further attributes.
  void words(double x, double y, const std::string &what, const char *anchor, const std::string &more = "");
  // `points`: "x,y x,y ..."
  void polyline(const std::string &points, const std::string &colour);
  // A dot with a text that is shown on hovering.
  void dot(double x, double y, const std::string &colour, const std::string &label);
  std::string finish() { return out_.str() + "</svg>\n"; }

 private:
  std::ostringstream out_;
};

} // namespace vigil::eval
