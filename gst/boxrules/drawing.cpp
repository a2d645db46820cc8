// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/boxrules/drawing.h"

#include "common/error.h"
#include "gst/boxrules/glyphs.h"
#include "gst/video/formats.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vigil::gst::boxrules {
namespace {

constexpr Colour zone_colour{255, 200, 0, 220}, line_colour{0, 200, 255, 230}, track_colour{64, 255, 64, 230},
    estimate_colour{200, 200, 200, 160}, trail_colour{64, 255, 64, 130};
constexpr std::size_t trail_points = 50;
constexpr double trail_seconds = 5;

// A transparent picture at a place; what lies outside of the frame is cut off.
class Canvas {
 public:
  Canvas(double left, double top, double right, double bottom, double width, double height)
      : x_(static_cast<int>(std::clamp(std::floor(left), 0., width))),
        y_(static_cast<int>(std::clamp(std::floor(top), 0., height))),
        width_(static_cast<int>(std::clamp(std::ceil(right), 0., width)) - x_),
        height_(static_cast<int>(std::clamp(std::ceil(bottom), 0., height)) - y_) {
    if (width_ <= 0 || height_ <= 0) return;
    buffer_ = gst_buffer_new_allocate(nullptr, 4 * gsize(width_) * gsize(height_), nullptr);
    gst_buffer_memset(buffer_, 0, 0, gst_buffer_get_size(buffer_));
    gst_buffer_add_video_meta(buffer_, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB,
                              guint(width_), guint(height_));
    gst_buffer_map(buffer_, &map_, GST_MAP_READWRITE);
  }
  ~Canvas() {
    if (!buffer_) return;
    gst_buffer_unmap(buffer_, &map_);
    gst_buffer_unref(buffer_);
  }
  Canvas(const Canvas &) = delete;
  Canvas &operator=(const Canvas &) = delete;

  void square(int x, int y, int size, Colour c) {
    if (!buffer_) return;
    const int left = std::max(x - x_, 0), right = std::min(x - x_ + size, width_);
    const int top = std::max(y - y_, 0), bottom = std::min(y - y_ + size, height_);
    for (int j = top; j < bottom; j++)
      for (int i = left; i < right; i++) {
        guint8 *p = map_.data + 4 * (std::ptrdiff_t{j} * width_ + i);
        if constexpr (G_BYTE_ORDER == G_LITTLE_ENDIAN) { // the format is 32-bit ARGB
          p[0] = c.blue, p[1] = c.green, p[2] = c.red, p[3] = c.alpha;
        } else {
          p[0] = c.alpha, p[1] = c.red, p[2] = c.green, p[3] = c.blue;
        }
      }
  }
  Rectangle finish() {
    if (!buffer_) return nullptr;
    return Rectangle(gst_video_overlay_rectangle_new_raw(buffer_, x_, y_, guint(width_), guint(height_),
                                                         GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE));
  }

 private:
  int x_, y_, width_, height_;
  GstBuffer *buffer_ = nullptr;
  GstMapInfo map_{};
};

rules::Point middle(const std::vector<rules::Point> &points) {
  rules::Point m;
  for (const rules::Point p : points)
    m = {m.x + p.x / double(points.size()), m.y + p.y / double(points.size())};
  return m;
}

} // namespace

void Drawing::forget() {
  trails_.clear();
  labels_.clear();
  fixed_.clear();
  composition_.reset();
  rules_drawn_ = false;
}

Rectangle Drawing::path(const std::vector<rules::Point> &points, bool closed, int thick, Colour c) const {
  double left = 1e9, top = 1e9, right = -1e9, bottom = -1e9;
  for (const rules::Point p : points) {
    left = std::min(left, p.x);
    top = std::min(top, p.y);
    right = std::max(right, p.x);
    bottom = std::max(bottom, p.y);
  }
  Canvas canvas(left - thick, top - thick, right + thick, bottom + thick, width_, height_);
  const std::size_t steps = points.size() - (closed ? 0 : 1);
  for (std::size_t i = 0; i < steps; i++) {
    const rules::Point a = points[i], b = points[(i + 1) % points.size()];
    const double long_way = std::max(std::abs(b.x - a.x), std::abs(b.y - a.y));
    // A rule may reach far out of the picture; steps there would draw nothing.
    const int count = static_cast<int>(std::min(long_way, 4 * (width_ + height_))) + 1;
    for (int k = 0; k <= count; k++) {
      const double t = double(k) / count;
      canvas.square(static_cast<int>(std::lround(a.x + t * (b.x - a.x))) - thick / 2,
                    static_cast<int>(std::lround(a.y + t * (b.y - a.y))) - thick / 2, thick, c);
    }
  }
  return canvas.finish();
}

Rectangle Drawing::words(std::string_view text, rules::Point at, Colour c) const {
  const int dot = scale_, step = (glyph_width + 1) * dot;
  const auto x = static_cast<int>(at.x), y = static_cast<int>(at.y);
  const auto letters = static_cast<int>(std::min<std::size_t>(text.size(), 64));
  Canvas canvas(x - dot, y - dot, x + letters * step, y + (glyph_height + 1) * dot, width_, height_);
  constexpr Colour shade{0, 0, 0, 140};
  for (int j = -1; j <= glyph_height; j++)
    for (int i = -1; i < letters * (glyph_width + 1); i++)
      canvas.square(x + i * dot, y + j * dot, dot, shade);
  for (int l = 0; l < letters; l++)
    for (int j = 0; j < glyph_height; j++)
      for (int i = 0; i < glyph_width; i++)
        if (lit(text[std::size_t(l)], i, j)) canvas.square(x + l * step + i * dot, y + j * dot, dot, c);
  return canvas.finish();
}

void Drawing::add(Rectangle r) {
  if (!r) return;
  if (composition_)
    gst_video_overlay_composition_add_rectangle(composition_.get(), r.get());
  else
    composition_.reset(gst_video_overlay_composition_new(r.get()));
}
void Drawing::add(const Label &l) {
  if (l.picture) add(Rectangle(gst_video_overlay_rectangle_ref(l.picture.get())));
}

void Drawing::draw_rules(const rules::Rules &r) {
  fixed_.clear();
  labels_.clear();
  labels_.resize(r.zones.size() + r.lines.size());
  for (const rules::Zone &z : r.zones) fixed_.push_back(path(z.polygon, true, scale_, zone_colour));
  for (const rules::Line &l : r.lines) {
    fixed_.push_back(path(l.points, false, 2 * scale_, line_colour));
    // A stroke to the right hand of the first piece shows where "forward" goes.
    const rules::Point a = l.points[0], b = l.points[1], m{(a.x + b.x) / 2, (a.y + b.y) / 2};
    const double length = std::hypot(b.x - a.x, b.y - a.y), reach = 10. * scale_;
    fixed_.push_back(path({m, {m.x - (b.y - a.y) / length * reach, m.y + (b.x - a.x) / length * reach}},
                          false, scale_, line_colour));
  }
  rules_drawn_ = true;
}

void Drawing::label(std::size_t i, const std::string &text, rules::Point at, Colour c) {
  Label &l = labels_[i];
  if (l.text != text) {
    l.text = text;
    l.picture = words(text, at, c);
  }
  add(l);
}

void Drawing::draw_counts(const rules::RuleEngine &engine) {
  const rules::Rules &r = engine.rules();
  for (std::size_t i = 0; i < r.zones.size(); i++)
    label(i, text(r.zones[i].name, ": ", engine.count(i).inside), middle(r.zones[i].polygon), zone_colour);
  for (std::size_t i = 0; i < r.lines.size(); i++) {
    const rules::LineTotal t = engine.total(i);
    const rules::Point first = r.lines[i].points.front();
    label(r.zones.size() + i, text(r.lines[i].name, " +", t.forward, " -", t.backward),
          {first.x + 4. * scale_, first.y + 4. * scale_}, line_colour);
  }
}

void Drawing::follow(const TrackOnFrame &t, double seconds) {
  auto trail =
      std::find_if(trails_.begin(), trails_.end(), [&](const Trail &o) { return o.id == t.object.id; });
  if (trail == trails_.end()) {
    trails_.push_back({t.object.id, seconds, {}});
    trail = trails_.end() - 1;
  }
  trail->last = seconds;
  const track::Box &b = t.object.box;
  if (t.object.state != track::State::predicted) trail->points.push_back({b.x + b.width / 2, b.y + b.height});
  if (trail->points.size() > trail_points) trail->points.erase(trail->points.begin());
}

void Drawing::step(const rules::RuleEngine &engine, const std::vector<TrackOnFrame> &tracks, double seconds,
                   double width, double height) {
  width_ = width;
  height_ = height;
  scale_ = std::max(1, static_cast<int>(height / 270));
  composition_.reset();
  if (!rules_drawn_) draw_rules(engine.rules());
  for (const Rectangle &r : fixed_)
    if (r) add(Rectangle(gst_video_overlay_rectangle_ref(r.get())));
  for (const TrackOnFrame &t : tracks) {
    follow(t, seconds);
    const track::Box &b = t.object.box;
    const Colour c = t.object.state == track::State::tracked ? track_colour : estimate_colour;
    add(path({{b.x, b.y}, {b.x + b.width, b.y}, {b.x + b.width, b.y + b.height}, {b.x, b.y + b.height}}, true,
             scale_, c));
    add(words(std::to_string(t.object.id), {b.x + 2. * scale_, b.y + 2. * scale_}, c));
  }
  std::erase_if(trails_, [&](const Trail &t) { return seconds - t.last > trail_seconds; });
  for (const Trail &t : trails_)
    if (t.points.size() > 1) add(path(t.points, false, scale_, trail_colour));
  draw_counts(engine);
}

void Drawing::attach(GstBuffer *buffer) const {
  if (!composition_) return;
  GstVideoOverlayCompositionMeta *there = gst_buffer_get_video_overlay_composition_meta(buffer);
  if (!there) {
    gst_buffer_add_video_overlay_composition_meta(buffer, composition_.get());
    return;
  }
  // That may be on other frames, too, so it stays as it is. Rectangles are shared: who draws them may keep
  // them as textures.
  GstVideoOverlayComposition *both = gst_video_overlay_composition_new(nullptr);
  for (GstVideoOverlayComposition *from : {there->overlay, composition_.get()})
    for (guint i = 0; i < gst_video_overlay_composition_n_rectangles(from); i++)
      gst_video_overlay_composition_add_rectangle(both, gst_video_overlay_composition_get_rectangle(from, i));
  gst_video_overlay_composition_unref(std::exchange(there->overlay, both));
}

bool Drawing::blend(GstBuffer *buffer, const GstVideoInfo &info) const {
  if (!composition_) return true;
  GstVideoFrame frame;
  map_frame(frame, info, buffer, GST_MAP_READWRITE);
  const bool drawn = gst_video_overlay_composition_blend(composition_.get(), &frame);
  gst_video_frame_unmap(&frame);
  return drawn;
}

} // namespace vigil::gst::boxrules
