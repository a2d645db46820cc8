// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/scene.h"

#include <algorithm>
#include <cstddef>

namespace vigil::gst::cudamog {
namespace {

constexpr std::uint64_t refresh_every = 8; // frames; a young model changes faster
constexpr double look_every = 0.15;        // seconds, or each frame where that is longer
// Learning rate of what is to become background: below 1 - background_ratio (see rates()), unless that is
// less than `least_at_once`.
constexpr double most_at_once = 0.1, least_at_once = 0.02, part_of_rest = 0.99;
constexpr float undecided_rate = 0.3f; // factor

template <class Fn>
void for_each_cell(const activity::Grid &grid, const Box &b, Fn fn) {
  for (int row = b.y / grid.size; row <= (b.y + b.height - 1) / grid.size; row++)
    for (int column = b.x / grid.size; column <= (b.x + b.width - 1) / grid.size; column++)
      fn(std::size_t(row * grid.columns + column));
}

} // namespace

Scene::Slot::Slot(Device &device, PixelFormat format, const activity::Grid &grid)
    : mapped(device, format, grid.width, grid.height),
      edges(device, sizeof(ghost::Cell) * std::size_t(grid.cells())),
      rims(device, sizeof(ghost::Rim) * std::size_t(grid.cells())), lines(device, sizeof(exposure::Lines)),
      told(device, sizeof(registration::Sway)), sway(device, sizeof(registration::Sway)) {}

Scene::Scene(Device &device)
    : device_(device), exposure_(exposure::make(device)), outlines_(ghost::make(device)),
      registration_(registration::make(device)) {}

void Scene::set_format(PixelFormat format, const activity::Grid &grid, const exposure::Colours &colours) {
  exposure_->set_colours(colours);
  const int border = registration::most_sway(std::max(grid.width, grid.height));
  background_ = BorderedPicture(device_, format, grid.width, grid.height, border);
  background_of_ = registered_of_ = 0;
  if (grid == grid_) return;
  grid_ = grid;
  forget();
}

void Scene::forget() {
  background_of_ = registered_of_ = 0;
  registration_->forget();
  waiting_.reset(grid_);
  moving_.reset(grid_);
  lines_ = {};
  shift_ = {};
}

void Scene::start_over(Queue &queue) {
  forget();
  exposure_->set({}, queue);
}

// False when the model knows nothing yet.
bool Scene::refresh(mog::Model &model, Queue &queue) {
  const std::uint64_t known = model.frames;
  if (known == 0) return false;
  const bool young = known < 4 * refresh_every;
  if (background_of_ == 0 || known < background_of_ ||
      known >= background_of_ + (young ? 1 : refresh_every)) {
    model.background(background_.draw(), queue);
    background_of_ = known;
    registered_of_ = 0;
  }
  return true;
}

void Scene::find_shift(Slot &slot, const ConstImage &frame, Queue &queue) {
  if (registered_of_ != background_of_) registration_->know(background_.image(), queue);
  registered_of_ = background_of_;
  auto *const sway = slot.sway.as<registration::Sway>();
  registration_->find(frame, sway, slot.told.as<registration::Sway>(), queue);
  slot.shift = &sway->shift;
  slot.background = background_.through(slot.shift, queue);
}

ConstImage Scene::before(Slot &slot, const ConstImage &frame, mog::Model &model, const Settings &settings,
                         bool relearning, Queue &queue) {
  slot.seen = frame;
  slot.background = background_.image();
  slot.shift = nullptr;
  slot.measured = slot.due = slot.estimated = false;
  const bool stabilized = settings.stabilize == StabilizeMode::automatic;
  const bool wanted =
      stabilized || settings.exposure == ExposureMode::automatic || settings.tuning.foreground_rate < 1;
  if (!wanted || !refresh(model, queue)) return frame;
  if (stabilized && !relearning) find_shift(slot, frame, queue);
  if (settings.exposure == ExposureMode::automatic && !relearning) {
    exposure_->tell(slot.lines.as<exposure::Lines>());
    slot.seen = exposure_->apply(frame, slot.background, model.config().channels, slot.mapped.image(), queue);
    slot.estimated = true;
  }
  return slot.seen;
}

void Scene::after(Slot &slot, Plane<const std::uint8_t> mask, const Settings &settings, double seconds,
                  Queue &queue) {
  if (settings.tuning.foreground_rate >= 1 || background_of_ == 0) return;
  since_look_ += seconds;
  slot.due = since_look_ >= look_every;
  if (slot.due) since_look_ = 0;
  outlines_->apply(mask, slot.seen, slot.background, grid_, slot.edges.as<ghost::Cell>(),
                   slot.rims.as<ghost::Rim>(), queue);
  slot.measured = true;
}

static std::span<const ghost::Cell> edges_of(const HostBuffer &edges, const activity::Grid &grid) {
  return {edges.as<const ghost::Cell>(), std::size_t(grid.cells())};
}
static std::span<const ghost::Rim> rims_of(const HostBuffer &rims, const activity::Grid &grid) {
  return {rims.as<const ghost::Rim>(), std::size_t(grid.cells())};
}

void Scene::take_light(const Slot &slot, std::span<std::uint8_t> in_blob, std::vector<Box> &boxes) {
  std::span<const ghost::Cell> edges;
  std::span<const ghost::Rim> rims;
  if (slot.measured) {
    edges = edges_of(slot.edges, grid_);
    rims = rims_of(slot.rims, grid_);
  }
  if (!waiting_.take_light(in_blob, edges, rims)) return;
  std::erase_if(boxes, [&](const Box &b) {
    int light = 0, others = 0;
    for_each_cell(grid_, b, [&](std::size_t cell) {
      light += waiting_.light()[cell] == ghost::light_frames;
      others += in_blob[cell] != 0;
    });
    return light > others;
  });
}

double Scene::moving(const Slot &slot, std::span<const std::uint8_t> in_blob, double reported,
                     double threshold, const MotionSettings &settings, double seconds) {
  if (!slot.measured) return reported;
  return moving_.step(
      {in_blob, waiting_.light(), edges_of(slot.edges, grid_), rims_of(slot.rims, grid_), seconds}, reported,
      threshold, settings.delay / 1000.);
}

void Scene::observe(const Slot &slot, std::span<const std::uint8_t> in_blob, double seconds,
                    const Tuning &tuning, std::vector<Box> &boxes) {
  shift_ = slot.shift ? slot.told.as<const registration::Sway>()->shift : Shift{};
  lines_ = slot.estimated ? *slot.lines.as<const exposure::Lines>() : exposure::Lines{};
  std::span<const ghost::Cell> edges;
  if (slot.due) edges = edges_of(slot.edges, grid_);
  waiting_.step(in_blob, edges, seconds, double(tuning.absorb_after));
  if (waiting_.ghosts() == 0) return;
  for (Box &b : boxes) {
    int ghost = 0, all = 0;
    for_each_cell(grid_, b, [&](std::size_t cell) {
      ghost += waiting_.is_ghost(cell);
      all += in_blob[cell] != 0;
    });
    b.ghost = 2 * ghost > all;
  }
}

std::span<const std::uint8_t> Scene::paces(const Tuning &tuning) const {
  if (tuning.foreground_rate >= 1 || !waiting_.any()) return {};
  return waiting_.paces();
}

double Scene::at_once(const Tuning &tuning) const {
  const std::span<const std::uint8_t> all = paces(tuning);
  if (all.empty()) return 0;
  return double(std::count(all.begin(), all.end(), std::uint8_t(ghost::Pace::at_once))) / double(all.size());
}

// A sample that no component owns makes one of its own, whose weight is the learning rate; the others keep
// 1 - rate. mog.h looks for shadows among the components until their weights are more than background_ratio.
// Were the rate 1 - background_ratio or more, it would reach the component that the sample has just made, and
// each change would be its own shadow. It still reaches it where one of K components gave way.
mog::RateMap Scene::rates(const std::uint8_t *map, const Settings &settings, double learning_rate) const {
  const float slow = settings.tuning.foreground_rate;
  const double rest = 1 - double(settings.mog.background_ratio);
  const double rate = std::clamp(part_of_rest * rest, least_at_once, most_at_once);
  const float fast = learning_rate > 0 ? static_cast<float>(std::max(rate / learning_rate, 1.)) : 1.f;
  return {map, grid_.size, grid_.columns, {1.f, slow, std::max(slow, undecided_rate), fast}};
}

} // namespace vigil::gst::cudamog
