// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/work.h"

#include "gst/cudamog/camera.h"
#include "gst/errors.h"
#include "gst/frames/formats.h"
#include "gst/observe/overlay.h"
#include "gst/observe/png.h"

#include <algorithm>
#include <utility>

namespace vigil::gst::cudamog {
namespace {

constexpr std::ptrdiff_t mask_stride_step = 64; // bytes

std::ptrdiff_t mask_stride(int width) {
  return (width + mask_stride_step - 1) / mask_stride_step * mask_stride_step;
}

// By the caps; video range where they say nothing.
bool in_full_range(const GstVideoInfo &info) {
  return info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
}

// How the caps say that Y, U and V stand for colours.
exposure::Colours colours_of(const GstVideoInfo &info) {
  const auto [kr, kb] = luma_weights(info);
  return exposure::colours_for(kr, kb, in_full_range(info), has_v_first(info));
}

// A pale shadow's own threshold, where mog.h's is for full range.
void take_own_threshold(Settings &s, const GstVideoInfo &info) {
  constexpr float of_video_range = 0.83f; // black is at 16: a shadow takes less of the luma
  if (s.mog.shadow_threshold == 0 && s.shape.color && exposure::is_yuv(pixel_format(info)) &&
      !in_full_range(info))
    s.mog.shadow_threshold = of_video_range;
}

} // namespace

// What belongs to one frame.
struct MogWork::Analysis final : Work::Result {
  Analysis(Device &device, PixelFormat format, const MaskBlobs &of, const view::Layout &view)
      : scratch(device, std::size_t(mask_stride(of.grid().width)) * of.grid().height), blobs(device, of),
        host_rates(device, std::size_t(of.grid().cells())), rates(device, std::size_t(of.grid().cells())),
        scene(device, format, of.grid()),
        spots(device, sizeof(view::Spot) * std::size_t(std::max(view.cells(), 1))) {}

  DeviceBuffer scratch; // a mask, when the mask is not what comes out
  MaskBlobs::Frame blobs;
  MaskCopies::Frame attached;
  HostBuffer host_rates;
  DeviceBuffer rates; // the same
  Scene::Slot scene;
  HostBuffer spots; // of the camera's view; the device writes there
  Plane<std::uint8_t> mask;

  Settings settings;
  Output output{};
  double seconds = 0;    // that the frame lasts
  bool compared = false; // the model knew something when it saw this frame
  double at_once = 0;    // share of the cells that the model learnt at once
  Learning::Light light = Learning::Light::steady;
  double changed_fraction =
      0; // the reported blobs' share of the watched pixels; all foreground's when the light jumped
  double moving_fraction = 0; // what of the blobs' share is motion, and what is too small to be reported
  std::vector<Box> boxes;
  std::optional<double> view_took;   // seconds since the last spots; none: there are no spots of this frame
  std::optional<view::Event> camera; // what is to be said of it
};

MogWork::MogWork(Device &device, MogElement &element)
    : device_(device), element_(element), composer_(compose::make(device)), scene_(device), lights_(device),
      sampler_(view::make(device)), beside_(device) {}

void MogWork::set_format(const FrameKind &in, const FrameKind &out) {
  in_ = in;
  out_ = out;
  const int width = GST_VIDEO_INFO_WIDTH(&in.info), height = GST_VIDEO_INFO_HEIGHT(&in.info);
  const activity::Grid grid = activity::grid_for(width, height);
  if (grid.width != grid_.width || grid.height != grid_.height) {
    cleanup_ = cleanup::make(device_, width, height);
    blobs_ = std::make_unique<MaskBlobs>(device_, width, height);
    masks_ = std::make_unique<MaskCopies>(device_, width, height);
    watch_location_.reset();
    blob_cells_.assign(std::size_t(grid.cells()), 0);
  }
  grid_ = grid;
  const exposure::Colours colours = colours_of(in.info);
  scene_.set_format(pixel_format(in.info), grid, colours);
  lights_.set_format(pixel_format(in.info), width, height, colours);
  view_ = view::layout_for(width, height);
  style_ = overlay_style(out.info);
}

std::unique_ptr<Work::Result> MogWork::make_result() {
  return std::make_unique<Analysis>(device_, pixel_format(in_.info), *blobs_, view_);
}

// A change of output that needs other caps waits for their negotiation.
Output MogWork::output_for(Output wanted) {
  Output &last = element_.last_output;
  const bool grey_out = GST_VIDEO_INFO_FORMAT(&out_.info) == GST_VIDEO_FORMAT_GRAY8;
  const bool grey_in = GST_VIDEO_INFO_FORMAT(&in_.info) == GST_VIDEO_FORMAT_GRAY8;
  if (grey_in || (wanted == Output::mask) == grey_out) return last = wanted;
  if ((last == Output::mask) != grey_out) last = grey_out ? Output::mask : Output::passthrough;
  return last;
}

Work::Plan MogWork::plan(const FrameTime &time, Result *result) {
  auto &a = static_cast<Analysis &>(*result);
  a.settings = element_.settings.snapshot();
  take_own_threshold(a.settings, in_.info);
  a.seconds = time.seconds;
  a.output = output_for(a.settings.output);
  const bool apart = a.settings != current_;
  current_ = a.settings;
  return {a.output == Output::passthrough ? Use::look : Use::make, a.settings.flow.group_size, apart};
}

void MogWork::run(std::span<Job *const> jobs, Queue &queue) {
  const Settings &settings = static_cast<const Analysis &>(*jobs.front()->result).settings;
  prepare_watch(settings.mask_location, queue);
  prepare_model(settings, queue);
  queue_ = &queue;
  follow_light(jobs.front()->in, settings, queue);
  if (std::exchange(camera_moved_, false)) {
    learning_.relearn();
    scene_.start_over(queue);
  }
  for (Job *job : jobs) sample_view(*job, queue);
  const std::uint64_t learnt = model_->frames;
  steps_.clear();
  for (Job *job : jobs) {
    auto &a = static_cast<Analysis &>(*job->result);
    a.mask = a.output == Output::mask ? job->out.plane(0)
                                      : Plane<std::uint8_t>{a.scratch.as<std::uint8_t>(), grid_.width,
                                                            grid_.height, mask_stride(grid_.width)};
    a.compared = learnt + steps_.size() > 0;
    const double rate =
        learning_.next_rate(settings.mog, settings.tuning, learnt + steps_.size() + 1, a.seconds);
    const ConstImage seen = scene_.before(a.scene, job->in, *model_, settings, learning_.relearning(), queue);
    steps_.push_back({seen, a.mask, rate, a.scene.shift});
  }
  const mog::RateMap rates =
      upload_rates(static_cast<Analysis &>(*jobs.front()->result), steps_.front().learning_rate, queue);
  const double at_once = scene_.at_once(settings.tuning); // the same for all frames that are learnt together
  for (Job *job : jobs) static_cast<Analysis &>(*job->result).at_once = at_once;
  model_->apply(steps_, settings.mog, rates, queue);
  for (Job *job : jobs) analyse(*job, settings, queue);
  element_.model_frames = model_->frames;
  changed_ = true;
}

mog::RateMap MogWork::upload_rates(Analysis &first, double learning_rate, Queue &queue) {
  const Tuning &tuning = first.settings.tuning;
  const std::span<const std::uint8_t> paces = scene_.paces(tuning);
  if (paces.empty()) return {};
  std::copy(paces.begin(), paces.end(), first.host_rates.as<std::uint8_t>());
  // Nothing under way looks at this frame's own memory.
  device_.upload(first.rates.as(), first.host_rates.as<void>(), paces.size(), beside_.free(queue));
  beside_.join(queue);
  if (device_.backend() != Backend::cpu) result_bytes_ += paces.size();
  return scene_.rates(first.rates.as<const std::uint8_t>(), first.settings, learning_rate);
}

void MogWork::analyse(Job &job, const Settings &settings, Queue &queue) {
  auto &a = static_cast<Analysis &>(*job.result);
  Plane<const std::uint8_t> watch;
  if (watch_) watch = {watch_.as<const std::uint8_t>(), grid_.width, grid_.height, grid_.width};
  if (watch_ || settings.cleanup != cleanup::Params{.median = 0, .open = 0, .close = 0})
    cleanup_->apply(a.mask, watch, settings.cleanup, queue);
  blobs_->measure(a.mask, job.in,
                  {settings.blobs, a.settings.motion.min_area, settings.tuning.foreground_rate < 1}, a.blobs,
                  queue);
  scene_.after(a.scene, a.mask, settings, a.seconds, queue);
  if (a.output == Output::foreground)
    composer_->foreground(job.in, a.mask, style_, job.out, queue);
  else if (a.output == Output::background)
    model_->background(job.out, queue);
  job.late = a.output == Output::overlay;
}

void MogWork::fetch(Job &job, Queue &queue) {
  auto &a = static_cast<Analysis &>(*job.result);
  blobs_->fetch(a.blobs, queue);
  if (a.settings.reports.attach_mask) masks_->fetch(a.mask, a.attached, queue);
}

void MogWork::complete(Job &job, Queue &queue) {
  auto &a = static_cast<Analysis &>(*job.result);
  find_blobs(a);
  watch_camera(a);
  if (a.settings.reports.attach_mask) result_bytes_ += masks_->take(a.attached);
  if (a.light == Learning::Light::jumped) light_jumped_ = true;
  if (a.light != Learning::Light::steady && a.changed_fraction >= a.settings.tuning.light_jump)
    light_unknown_ = true;
  scene_.observe(a.scene, blob_cells_, a.seconds, a.settings.tuning, a.boxes);
  element_.exposure_gain = scene_.lines().channel[0].gain;
  element_.exposure_offset = scene_.lines().channel[0].offset;
  element_.shift_x = scene_.shift().x;
  element_.shift_y = scene_.shift().y;
  element_.ghost_cells = scene_.waiting().ghosts();
  element_.object_cells = scene_.waiting().objects();
  if (job.late) composer_->overlay(job.in, a.mask, boxes_to_draw(a.boxes), style_, job.out, queue);
}

void MogWork::find_blobs(Analysis &a) {
  a.boxes.clear();
  a.light = Learning::Light::steady;
  a.changed_fraction = a.moving_fraction = 0;
  std::fill(blob_cells_.begin(), blob_cells_.end(), 0);
  MaskBlobs::Found found = blobs_->find(a.blobs, blob_cells_);
  if (device_.backend() != Backend::cpu) result_bytes_ += found.bytes;
  if (!a.compared) { // a new model takes all of its first frame for foreground
    std::fill(blob_cells_.begin(), blob_cells_.end(), 0);
    return;
  }
  const double watched = double(std::max<std::uint64_t>(watched_pixels_, 1));
  // Where the model learns at once, a sample may be the shadow of the component that it has just made
  // (Scene::rates): there a shadow is a change like any other.
  const double changed =
      double(found.foreground) / watched + std::min(double(found.shadow) / watched, a.at_once);
  a.light = learning_.observe(changed, a.settings.tuning);
  if (a.light != Learning::Light::steady) {
    a.changed_fraction = std::min(changed, 1.);
    std::fill(blob_cells_.begin(), blob_cells_.end(), 0);
    return;
  }
  a.boxes = std::move(found.boxes);
  scene_.take_light(a.scene, blob_cells_, a.boxes);
  std::uint64_t area = 0;
  for (const Box &b : a.boxes) area += b.area;
  a.changed_fraction = double(area) / watched;
  const MotionSettings &motion = a.settings.motion;
  a.moving_fraction = scene_.moving(a.scene, blob_cells_, double(area), double(motion.threshold) * watched,
                                    motion, a.seconds) /
                      watched;
}

// A light that was switched: the model is to know what was background the last time that this light was
// there. The camera may need some frames before one of them shows it.
void MogWork::follow_light(const ConstImage &frame, const Settings &settings, Queue &queue) {
  const bool jumped = std::exchange(light_jumped_, false);
  if (!std::exchange(light_unknown_, false) || model_->frames == 0) return;
  const bool undone = settings.exposure == ExposureMode::automatic;
  if (lights_.recall(frame, undone ? Lights::most_undone : Lights::most_borne, *model_, settings.mog,
                     queue)) {
    learning_.recalled();
    scene_.start_over(queue);
  } else if (jumped) {
    lights_.keep(*model_, queue);
  }
}

void MogWork::sample_view(Job &job, Queue &queue) {
  auto &a = static_cast<Analysis &>(*job.result);
  a.view_took.reset();
  if (!a.settings.tuning.watch_camera) return;
  a.view_took = element_.camera.due(a.seconds);
  if (a.view_took) sampler_->apply(job.in, a.spots.as<view::Spot>(), queue);
}

void MogWork::watch_camera(Analysis &a) {
  a.camera.reset();
  if (!a.settings.tuning.watch_camera)
    a.camera = element_.camera.stop();
  else if (a.view_took)
    a.camera = element_.camera.look(view_, {a.spots.as<const view::Spot>(), std::size_t(view_.cells())},
                                    *a.view_took);
  camera_moved_ |= a.camera && a.camera->begins && a.camera->trouble == view::Trouble::moved;
}

// Metadata on the frame, messages on the bus.
void MogWork::publish(BufferPtr &buffer, const Job &job) {
  auto &a = static_cast<Analysis &>(*job.result);
  const MotionSettings &motion = a.settings.motion;
  GstElement *element = element_.gst();
  if (!a.boxes.empty() || a.settings.reports.attach_mask)
    buffer.reset(gst_buffer_make_writable(buffer.release()));
  add_boxes(buffer.get(), "motion", a.boxes);
  if (a.settings.reports.attach_mask) attach_mask(buffer.get(), a);
  element_.motion_time = GST_CLOCK_TIME_IS_VALID(job.time.running)
                             ? job.time.running
                             : element_.motion_time + GstClockTime(a.seconds * GST_SECOND);
  element_.last_time = job.time;
  if (a.camera && motion.post_messages) post_camera(element, *a.camera, job.time);
  if (a.light == Learning::Light::jumped && motion.post_messages)
    gst_element_post_message(
        element, new_motion_message(element, "light-jump", job.time, a.changed_fraction, a.boxes));
  if (a.light == Learning::Light::steady)
    post_motion(element, element_.motion.step(a.moving_fraction, motion, element_.motion_time),
                element_.motion, motion, job.time, a.changed_fraction, a.boxes);
}

void MogWork::pass_by(Job &job, Queue &queue) {
  auto &a = static_cast<Analysis &>(*job.result);
  const std::ptrdiff_t stride = mask_stride(grid_.width);
  if (a.output == Output::mask) {
    const Plane<std::uint8_t> out = job.out.plane(0);
    for (int y = 0; y < out.height; y++) device_.fill(out.row(y), 0, std::size_t(out.width), queue);
    return;
  }
  if (a.output == Output::background && model_) return model_->background(job.out, queue);
  device_.fill(a.scratch.as(), 0, std::size_t(stride) * std::size_t(grid_.height), queue);
  const Plane<const std::uint8_t> nothing{a.scratch.as<std::uint8_t>(), grid_.width, grid_.height, stride};
  if (a.output == Output::overlay)
    composer_->overlay(job.in, nothing, {}, style_, job.out, queue);
  else
    composer_->foreground(job.in, nothing, style_, job.out, queue);
}

void MogWork::attach_mask(GstBuffer *buffer, Analysis &a) {
  MaskCopies::attach(buffer, a.attached, a.settings.mog.detect_shadows ? a.settings.mog.shadow_value : 0);
  MaskCopies::warn_where_impossible(element_.gst(), element_.told_no_masks);
}

void MogWork::prepare_watch(const std::string &location, Queue &queue) {
  if (watch_location_ == location) return;
  DeviceBuffer watch;
  std::uint64_t pixels = std::uint64_t(grid_.width) * grid_.height;
  if (!location.empty()) {
    const std::vector<std::uint8_t> image = read_grey_png(location, grid_.width, grid_.height);
    pixels = std::uint64_t(std::count_if(image.begin(), image.end(), [](int v) { return v != 0; }));
    watch = DeviceBuffer(device_, image.size());
    device_.upload(watch.as(), image.data(), image.size(), queue);
  }
  queue.wait(); // frames under way look at the mask that goes
  watch_ = std::move(watch);
  watched_pixels_ = pixels;
  watch_location_ = location;
}

} // namespace vigil::gst::cudamog
