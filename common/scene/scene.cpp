// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/scene/scene.h"

#include "common/error.h"
#include "common/scene/effect.h"
#include "common/scene/foliage.h"
#include "common/scene/ground.h"
#include "common/scene/lens.h"
#include "common/scene/objects.h"
#include "common/scene/pixels.h"
#include "common/scene/truth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace vigil::scene {
namespace {

constexpr float noticeable = 0.1f; // share of the light whose loss makes a pixel shadow in the truth

// What is drawn of a scene that sways: a larger picture, of which each frame shows a part.
Settings with_border(Settings s) {
  const int border = Plot::sway_border(s.story, s.width);
  s.width += 2 * border;
  s.height += 2 * border;
  return s;
}

const Settings &checked(const Settings &s) {
  const auto within = [](double value, double low, double high) { return value >= low && value <= high; };
  if (!within(s.width, 1, 32767) || !within(s.height, 1, 32767))
    fail(Error::Kind::bad_setting, "a scene of ", s.width, "x", s.height,
         " pixels cannot be drawn: both sides must be 1..32767");
  if (!within(s.noise, 0, 100)) fail(Error::Kind::bad_setting, "noise is ", s.noise, ", it must be 0..100");
  if (!within(s.quiet, 0, 3600)) fail(Error::Kind::bad_setting, "quiet is ", s.quiet, ", it must be 0..3600");
  if (!within(s.density, 0, 10))
    fail(Error::Kind::bad_setting, "density is ", s.density, ", it must be 0..10");
  if (!within(s.pole, 2, 20)) fail(Error::Kind::bad_setting, "pole is ", s.pole, ", it must be 2..20");
  if (!within(s.aside, -30, 30)) fail(Error::Kind::bad_setting, "aside is ", s.aside, ", it must be -30..30");
  if (!within(s.down, -1.5, 30)) fail(Error::Kind::bad_setting, "down is ", s.down, ", it must be -1.5..30");
  return s;
}

// Memory for two rows; each thread keeps its own.
struct Rows {
  explicit Rows(int width) {
    thread_local std::vector<float> memory;
    const auto w = std::size_t(width);
    memory.resize(14 * w);
    float *next = memory.data();
    for (ColourRow &row : colour)
      for (float **p : {&row.r, &row.g, &row.b}) *p = next, next += w;
    for (float **p : {&cover, &tone, &shade, &object, &leaf, &leaf_colour.r, &leaf_colour.g, &leaf_colour.b})
      *p = next, next += w;
  }
  ColourRow colour[2], leaf_colour;
  float *cover, *tone, *shade, *object, *leaf;
};

// Pixels of an object and the box around them; right and bottom are inclusive.
struct Pixels {
  int pixels = 0, left = 32767, top = 32767, right = -1, bottom = -1;
  void add(int x, int y) {
    pixels++;
    left = std::min(left, x);
    top = std::min(top, y);
    right = std::max(right, x);
    bottom = std::max(bottom, y);
  }
  void add(const Pixels &p) {
    pixels += p.pixels;
    left = std::min(left, p.left);
    top = std::min(top, p.top);
    right = std::max(right, p.right);
    bottom = std::max(bottom, p.bottom);
  }
};
struct Counted {
  Pixels own, shown;
};

// Calls row(y, rows, owner, own) for each row: it calls own(object, x) for each object's own pixels and
// leaves in owner[x] which one is shown, -1 for none.
template <class Row>
std::vector<Counted> count_pixels(CpuDevice &device, int width, int height, int drawn_width, int objects,
                                  Row row) {
  std::vector<Counted> all(static_cast<std::size_t>(objects));
  std::mutex lock;
  device.parallel(height, 16, [&](int first, int last) {
    Rows rows(drawn_width);
    std::vector<Counted> part(all.size());
    std::vector<int> owner(static_cast<std::size_t>(width));
    for (int y = first; y < last; y++) {
      std::fill(owner.begin(), owner.end(), -1);
      row(y, rows, owner.data(), [&](int i, int x) { part[std::size_t(i)].own.add(x, y); });
      for (int x = 0; x < width; x++)
        if (const int i = owner[std::size_t(x)]; i >= 0) part[std::size_t(i)].shown.add(x, y);
    }
    const std::lock_guard hold(lock);
    for (std::size_t i = 0; i < all.size(); i++) {
      all[i].own.add(part[i].own);
      all[i].shown.add(part[i].shown);
    }
  });
  return all;
}

// Around shapes first .. end-1, without the pixel that their boxes leave for smoothing.
Bounds whole_of(const Drawing &drawing, std::size_t first, std::size_t end) {
  Bounds b{1e9f, 1e9f, -1e9f, -1e9f};
  for (std::size_t i = first; i < end; i++) {
    const Bounds &s = drawing.shapes[i].box;
    b = {std::min(b.left, s.left + 1), std::min(b.top, s.top + 1), std::max(b.right, s.right - 1),
         std::max(b.bottom, s.bottom - 1)};
  }
  return b;
}

} // namespace

// What the picture shows at a time.
struct Cast {
  std::vector<Actor> actors;    // the farthest first
  std::vector<std::size_t> end; // of each one's shapes
  Drawing drawing;
};

struct Scene::Impl {
  Impl(const Settings &asked_for, CpuDevice &d, float aside = 0, float down = 0)
      : Impl(asked_for, with_border(asked_for), d, aside, down) {}
  Impl(const Settings &asked_for, const Settings &s, CpuDevice &d, float aside, float down)
      : asked(asked_for), settings(s), device(d),
        camera(s.width, s.height, s.pole, s.aside + aside, s.down + down),
        plot(s, Camera(s.width, s.height, s.pole, s.aside, s.down)),
        backdrop(paint_backdrop(plot.pattern(), s.seed, s.width, s.height, camera, d)),
        behind(Foliage::behind(plot, s.seed, s.width, s.height, camera)),
        in_front(Foliage::in_front(plot, s.seed, s.width, s.height)), sensor(s.seed, s.noise),
        effect(make_effect(s, camera)) {}

  // A thread keeps one cast for each field.
  const Cast &compose(double time, int field = 0) const;
  // What even and what odd lines show.
  struct Field {
    const Cast &cast;
    Foliage::Gust gust;
  };
  std::array<Field, 2> fields(double time) const {
    const double later = time + plot.field_delay();
    const Cast &first = compose(time);
    const Foliage::Gust gust = Foliage::gust(plot, time);
    if (later == time) return {{{first, gust}, {first, gust}}};
    return {{{first, gust}, {compose(later, 1), Foliage::gust(plot, later)}}};
  }
  // Null: nothing bends or blurs the light.
  std::unique_ptr<Lens> lens(double time) const;
  // What objects cover of each pixel of row y (rows.object), and how deep their shadows are where they are
  // seen (rows.shade).
  void truth_row(const Field &, int y, Rows &) const;
  // Shadow of row y: shade[x] of all pixels, and whether there is any.
  bool shadows(const Drawing &, int y, float *shade) const;
  // Draws objects over the row, or only collects what share of each pixel they cover.
  void objects(const Drawing &, int y, const ColourRow *, Rows &) const;
  // The share of each pixel that the shapes first .. end-1 cover, alone; false: none.
  bool object(const Drawing &, std::size_t first, std::size_t end, int y, Rows &) const;
  void leaves(const std::vector<Foliage> &, const Foliage::Gust &, int y, const ColourRow *, Rows &,
              float *object) const;

  // Where the frame's first pixel lies in what is drawn.
  struct Corner {
    int left = 0, top = 0;
  };
  Corner corner(double time) const {
    const int border = (settings.width - asked.width) / 2;
    const Shift s = plot.sway(time, asked.width);
    return {border - s.x, border - s.y};
  }

  Settings asked, settings; // settings: of what is drawn
  CpuDevice &device;
  Camera camera;
  Plot plot;
  Backdrop backdrop;
  std::vector<Foliage> behind, in_front;
  Sensor sensor;
  std::unique_ptr<Effect> effect;           // null: none
  std::vector<std::unique_ptr<Impl>> views; // the same from where the camera looks later, if it is turned

  const Impl &at(double time) const {
    const int view = views.empty() ? 0 : plot.view(time);
    return view == 0 ? *this : *views[std::size_t(view) - 1];
  }
};

const Cast &Scene::Impl::compose(double time, int field) const {
  thread_local Cast casts[2];
  Cast &cast = casts[field];
  Drawing &drawing = cast.drawing;
  plot.actors(time, cast.actors);
  drawing.clear();
  cast.end.clear();
  const Sun sun = plot.sun(time);
  const Rgb disguise = typical_ground(plot.pattern());
  for (const Actor &a : cast.actors) {
    switch (a.kind) {
    case Kind::bag:
      add_bag(a, camera, sun, drawing);
      break;
    case Kind::car:
      add_car(a, camera, sun, drawing);
      break;
    case Kind::bicycle:
      add_bicycle(a, camera, sun, drawing);
      break;
    case Kind::person:
      add_person(a, camera, sun, plot.camouflage() ? &disguise : nullptr, drawing);
    }
    cast.end.push_back(drawing.shapes.size());
  }
  return cast;
}

bool Scene::Impl::shadows(const Drawing &drawing, int y, float *shade) const {
  Camera::GroundRow ground;
  bool any = false;
  const float py = float(y) + 0.5f;
  if (!camera.ground_row(py, ground)) return false;
  for (const Shadow &s : drawing.shadows) {
    if (py < s.box.top || py > s.box.bottom) continue;
    const int first = std::max(0, int(std::max(s.box.left, 0.f)));
    const int last = int(std::min(float(settings.width), std::max(s.box.right, 0.f)));
    if (first >= last) continue;
    if (!any) std::fill_n(shade, settings.width, 0.f);
    any = true;
    const ScenePoint start{ground.start.x + 0.5f * ground.step.x, ground.start.y + 0.5f * ground.step.y};
    shadow_row(s, start, ground.step, 1 / ground.scale, first, last, shade);
  }
  if (!any) return false;
  for (int x = 0; x < settings.width; x++) // the wall stands in front of the ground beyond it
    if (ground.start.y + (float(x) + 0.5f) * ground.step.y > wall_distance) shade[x] = 0;
  return true;
}

void Scene::Impl::objects(const Drawing &drawing, int y, const ColourRow *row, Rows &rows) const {
  const float py = float(y) + 0.5f;
  for (const Shape &s : drawing.shapes) {
    if (py < s.box.top || py > s.box.bottom) continue;
    const int first = int(std::max(s.box.left, 0.f));
    const int last = int(std::min(float(settings.width), std::max(s.box.right + 1, 0.f)));
    if (first >= last) continue;
    cover_row(s, y, first, last, rows.cover, rows.tone);
    if (!row) {
      for (int x = first; x < last; x++) rows.object[x] += rows.cover[x] * (1 - rows.object[x]);
      continue;
    }
    for (int x = first; x < last; x++) {
      const float a = rows.cover[x], k = a * rows.tone[x];
      row->r[x] += k * s.colour.r - a * row->r[x];
      row->g[x] += k * s.colour.g - a * row->g[x];
      row->b[x] += k * s.colour.b - a * row->b[x];
    }
  }
}

bool Scene::Impl::object(const Drawing &drawing, std::size_t from, std::size_t end, int y, Rows &rows) const {
  const float py = float(y) + 0.5f;
  bool any = false;
  for (std::size_t i = from; i < end; i++) {
    const Shape &s = drawing.shapes[i];
    if (py < s.box.top || py > s.box.bottom) continue;
    const int first = int(std::max(s.box.left, 0.f));
    const int last = int(std::min(float(settings.width), std::max(s.box.right + 1, 0.f)));
    if (first >= last) continue;
    any = true;
    cover_row(s, y, first, last, rows.cover, rows.tone);
    for (int x = first; x < last; x++) rows.object[x] += rows.cover[x] * (1 - rows.object[x]);
  }
  return any;
}

void Scene::Impl::leaves(const std::vector<Foliage> &clumps, const Foliage::Gust &gust, int y,
                         const ColourRow *row, Rows &rows, float *object) const {
  const ColourRow &leaf = rows.leaf_colour;
  for (const Foliage &clump : clumps) {
    int first, last;
    if (!clump.span(y, first, last)) continue;
    clump.row(y, first, last, gust, rows.leaf, row ? leaf.r : nullptr, leaf.g, leaf.b);
    const int n = last - first;
    if (object)
      for (int i = 0; i < n; i++) object[first + i] *= 1 - rows.leaf[i];
    if (!row) continue;
    for (int i = 0; i < n; i++) {
      const float keep = 1 - rows.leaf[i];
      row->r[first + i] = row->r[first + i] * keep + leaf.r[i];
      row->g[first + i] = row->g[first + i] * keep + leaf.g[i];
      row->b[first + i] = row->b[first + i] * keep + leaf.b[i];
    }
  }
}

std::unique_ptr<Lens> Scene::Impl::lens(double time) const {
  if (plot.hot()) return std::make_unique<Shimmer>(settings.width, settings.height, settings.seed, time);
  const float blur = plot.blur(time) * float(settings.height);
  if (blur >= 1) return std::make_unique<Defocus>(settings.width, settings.height, int(blur));
  return nullptr;
}

void Scene::Impl::truth_row(const Field &field, int y, Rows &rows) const {
  std::fill_n(rows.object, settings.width, 0.f);
  if (shadows(field.cast.drawing, y, rows.shade)) {
    // The hedge stands in front of the ground that a shadow falls on.
    std::fill_n(rows.cover, settings.width, 1.f);
    leaves(behind, field.gust, y, nullptr, rows, rows.cover);
    leaves(in_front, field.gust, y, nullptr, rows, rows.cover);
    for (int x = 0; x < settings.width; x++) rows.shade[x] *= rows.cover[x];
  } else {
    std::fill_n(rows.shade, settings.width, 0.f);
  }
  objects(field.cast.drawing, y, nullptr, rows);
  leaves(in_front, field.gust, y, nullptr, rows, rows.object);
}

Scene::Scene(const Settings &s, CpuDevice &device) try : impl_(std::make_unique<Impl>(checked(s), device)) {
  for (const Plot::Turn &t : Plot::other_views(s.story))
    impl_->views.push_back(std::make_unique<Impl>(s, device, t.aside, t.down));
} catch (const std::bad_alloc &) {
  fail(Error::Kind::no_memory, "no memory is left for a scene of ", s.width, "x", s.height, " pixels");
}
Scene::~Scene() = default;
const Settings &Scene::settings() const {
  return impl_->asked;
}

void Scene::draw(const Moment &moment, const Image &image, const Coding &coding) const {
  if (is_16_bit(image.format)) fail(Error::Kind::bad_setting, "a scene is drawn with 8 bits a sample");
  const Impl &s = impl_->at(moment.time);
  const int width = s.settings.width, seen_width = s.asked.width, height = s.asked.height;
  const Impl::Corner corner = s.corner(moment.time);
  const std::array<Impl::Field, 2> fields = s.fields(moment.time);
  const Rgb light = s.plot.light(moment.time);
  const float darkening = s.plot.sun(moment.time).darkening;
  const std::unique_ptr<const Effect::Frame> effect =
      s.effect ? s.effect->frame(moment, fields[0].cast.actors) : nullptr;
  const bool grey = image.format == PixelFormat::gray8;

  const auto draw_row = [&](int y, const ColourRow &row, Rows &rows) {
    const std::size_t at = std::size_t(y) * std::size_t(width);
    const Impl::Field &field = fields[std::size_t(y) % 2];
    for (int x = 0; x < width; x++) {
      row.r[x] = s.backdrop.r[at + std::size_t(x)];
      row.g[x] = s.backdrop.g[at + std::size_t(x)];
      row.b[x] = s.backdrop.b[at + std::size_t(x)];
    }
    if (s.shadows(field.cast.drawing, y, rows.shade))
      for (int x = 0; x < width; x++) {
        const float k = 1 - darkening * rows.shade[x];
        row.r[x] *= k;
        row.g[x] *= k;
        row.b[x] *= k;
      }
    s.leaves(s.behind, field.gust, y, &row, rows, nullptr);
    s.objects(field.cast.drawing, y, &row, rows);
    s.leaves(s.in_front, field.gust, y, &row, rows, nullptr);
    if (effect) effect->row(row, y);
    if (light.r != 1 || light.g != 1 || light.b != 1)
      for (int x = 0; x < width; x++) {
        row.r[x] *= light.r;
        row.g[x] *= light.g;
        row.b[x] *= light.b;
      }
  };
  const std::unique_ptr<Lens> lens = s.lens(moment.time);
  if (lens)
    s.device.parallel(height, 16, [&](int first, int last) {
      Rows rows(width);
      for (int y = first; y < last; y++) draw_row(y, lens->sharp(y), rows);
    });
  s.device.parallel((height + 1) / 2, 8, [&](int first, int last) {
    Rows rows(width);
    for (int pair = first; pair < last; pair++) {
      for (int i = 0; i < 2 && 2 * pair + i < height; i++) {
        const int y = 2 * pair + i;
        if (lens)
          lens->row(y, rows.colour[i]);
        else
          draw_row(corner.top + y, rows.colour[i], rows);
        for (float **p : {&rows.colour[i].r, &rows.colour[i].g, &rows.colour[i].b}) *p += corner.left;
        s.sensor.expose(rows.colour[i], seen_width, y, moment.frame, grey ? &coding : nullptr,
                        effect ? effect->noise() : 1.f);
        if (effect && effect->colourless() && !grey)
          for (float *const other : {rows.colour[i].g, rows.colour[i].b})
            std::copy_n(rows.colour[i].r, seen_width, other);
        if (effect) effect->print(rows.colour[i], y);
      }
      write_rows(rows.colour, pair, image, coding);
      for (ColourRow &row : rows.colour)
        for (float **p : {&row.r, &row.g, &row.b}) *p -= corner.left;
    }
  });
}

void Scene::draw_truth(const Moment &moment, const Plane<std::uint8_t> &out) const {
  const Impl &s = impl_->at(moment.time);
  const int width = s.settings.width, seen_width = s.asked.width;
  const Impl::Corner corner = s.corner(moment.time);
  const std::array<Impl::Field, 2> fields = s.fields(moment.time);
  const std::unique_ptr<const Effect::Frame> effect =
      s.effect ? s.effect->frame(moment, fields[0].cast.actors) : nullptr;
  const float least = noticeable / s.plot.sun(moment.time).darkening;
  // Hot air moves what is seen; a lens out of focus does not change where it is.
  const std::unique_ptr<Lens> lens = s.plot.hot() ? s.lens(moment.time) : nullptr;
  if (lens)
    s.device.parallel(s.settings.height, 16, [&](int first, int last) {
      Rows rows(width);
      for (int y = first; y < last; y++) {
        s.truth_row(fields[std::size_t(y) % 2], y, rows);
        const ColourRow sharp = lens->sharp(y);
        std::copy_n(rows.object, width, sharp.r);
        std::copy_n(rows.shade, width, sharp.g);
      }
    });
  s.device.parallel(s.asked.height, 16, [&](int first, int last) {
    Rows rows(width);
    for (int seen = first; seen < last; seen++) {
      const int y = corner.top + seen;
      std::uint8_t *const row = out.row(seen);
      if (lens)
        lens->row(y, {rows.object, rows.shade, rows.cover});
      else
        s.truth_row(fields[std::size_t(y) % 2], y, rows);
      for (int x = 0; x < seen_width; x++) {
        const float object = rows.object[corner.left + x], shade = rows.shade[corner.left + x];
        row[x] = object > 0.999f   ? truth_foreground
                 : object > 0.001f ? truth_unknown
                 : shade >= least  ? truth_shadow
                                   : truth_background;
      }
      if (effect) effect->hide(row, y);
    }
  });
}

std::vector<TrueObject> Scene::objects(double time) const {
  const Impl &s = impl_->at(time);
  const Cast &cast = s.compose(time);
  const int drawn_width = s.settings.width, width = s.asked.width, height = s.asked.height;
  const int n = int(cast.actors.size());
  const Impl::Corner corner = s.corner(time);
  const Foliage::Gust gust = Foliage::gust(s.plot, time);
  const std::vector<Counted> counted =
      count_pixels(s.device, width, height, drawn_width, n, [&](int seen, Rows &rows, int *owner, auto own) {
        std::size_t shape = 0;
        const int y = corner.top + seen;
        const float *const object = rows.object + corner.left;
        for (int i = 0; i < n; i++) {
          std::fill_n(rows.object, drawn_width, 0.f);
          const bool any = s.object(cast.drawing, shape, cast.end[std::size_t(i)], y, rows);
          shape = cast.end[std::size_t(i)];
          for (int x = 0; any && x < width; x++)
            if (object[x] >= 0.5f) own(i, x), owner[x] = i;
        }
        std::fill_n(rows.object, drawn_width, 1.f);
        s.leaves(s.in_front, gust, y, nullptr, rows, rows.object);
        for (int x = 0; x < width; x++)
          if (object[x] < 0.5f) owner[x] = -1;
      });
  std::vector<TrueObject> all;
  for (int i = 0; i < n; i++) {
    const Actor &a = cast.actors[std::size_t(i)];
    const Counted &c = counted[std::size_t(i)];
    if (c.own.pixels == 0) continue;
    const Camera::Seen ground = s.camera.see({a.at.x, a.at.y, 0});
    TrueObject o{};
    o.id = id_of(a);
    o.kind = kind_of(a);
    const std::size_t first = i == 0 ? 0 : cast.end[std::size_t(i) - 1];
    Bounds whole = whole_of(cast.drawing, first, cast.end[std::size_t(i)]);
    for (float *across : {&whole.left, &whole.right}) *across -= float(corner.left);
    for (float *down : {&whole.top, &whole.bottom}) *down -= float(corner.top);
    // Inside the picture the pixels say where it ends, beyond its border only the shapes do.
    o.left = whole.left < 0 ? whole.left : float(c.own.left);
    o.top = whole.top < 0 ? whole.top : float(c.own.top);
    o.right = whole.right > float(width) ? whole.right : float(c.own.right + 1);
    o.bottom = whole.bottom > float(height) ? whole.bottom : float(c.own.bottom + 1);
    o.ground_x = ground.at.x - float(corner.left);
    o.ground_y = ground.at.y - float(corner.top);
    o.x = c.own.left;
    o.y = c.own.top;
    o.width = c.own.right + 1 - o.x;
    o.height = c.own.bottom + 1 - o.y;
    const float inside = float(o.width) * float(o.height) / ((o.right - o.left) * (o.bottom - o.top));
    o.visible = float(c.shown.pixels) / float(c.own.pixels) * std::min(inside, 1.f);
    if (c.shown.pixels > 0) {
      o.visible_x = c.shown.left;
      o.visible_y = c.shown.top;
      o.visible_width = c.shown.right + 1 - c.shown.left;
      o.visible_height = c.shown.bottom + 1 - c.shown.top;
    }
    o.speed = a.since >= 0 ? 0 : a.speed;
    o.since = a.since;
    o.owner = a.owner;
    all.push_back(o);
  }
  return all;
}

std::vector<Incident> Scene::incidents(double before, double now) const {
  if (before < 0) return {};
  std::vector<Actor> then, here;
  const Impl &s = impl_->at(now);
  s.plot.actors(before, then);
  s.plot.actors(now, here);
  // Lines lie on the scene as it stands, without the sway.
  std::vector<Incident> all =
      incidents_between(std::move(then), std::move(here), s.camera, s.settings.width, s.settings.height);
  for (Incident &i : all) {
    i.x -= float(s.settings.width - s.asked.width) / 2;
    i.y -= float(s.settings.height - s.asked.height) / 2;
  }
  return all;
}

} // namespace vigil::scene
