// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/pipeline.h"

#include "common/error.h"
#include "gst/base/overlay.h"
#include "gst/base/png.h"
#include "gst/base/video.h"
#include "gst/cudamog/debug.h"

#include <algorithm>

namespace vigil::gst::cudamog {
namespace {

constexpr std::ptrdiff_t mask_stride_step = 64; // bytes

std::ptrdiff_t mask_stride(int width) {
  return (width + mask_stride_step - 1) / mask_stride_step * mask_stride_step;
}

} // namespace

// One frame that is held, and its memory; used again and again.
struct Pipeline::Frame {
  Frame(Device &device, const FrameKind &in_kind, const FrameKind &out_kind, const activity::Grid &grid)
      : reader(device, in_kind), writer(device, out_kind),
        scratch(device, std::size_t(mask_stride(grid.width)) * grid.height),
        cells(device, sizeof(activity::Cell) * grid.cells()), host_cells(device, cells.bytes()),
        host_rates(device, std::size_t(grid.cells())), scene(device, pixel_format(in_kind.info), grid),
        uploaded(device.make_event()), done(device.make_event()), timer(device.make_timer()) {}

  FrameSlot reader, writer;
  DeviceBuffer scratch; // a mask, when the mask is not what comes out
  DeviceBuffer cells;
  HostBuffer host_cells, host_rates;
  Scene::Slot scene;
  std::unique_ptr<Event> uploaded, done;
  std::unique_ptr<Timer> timer; // of the group that it is the first of

  BufferPtr in, out;
  ConstImage picture;
  Image result;
  Plane<std::uint8_t> mask;
  FrameTime time;
  double seconds = 0;
  Output output{};
  Tuning tuning;
  MotionSettings motion;
  bool compared = false; // the model knew something when it saw this frame
  int timed = 0;         // frames that its timer measured

  void close() {
    reader.close();
    writer.close();
    in.reset();
    out.reset();
    timed = 0;
  }
};

Pipeline::Pipeline(Device &device, const Stats &stats)
    : device_(device), upload_(device.make_queue()), compute_(device.make_queue()),
      download_(device.make_queue()), computed_(device.make_event()), counter_(activity::make(device)),
      composer_(compose::make(device)), scene_(device), stats_(stats) {}

Pipeline::~Pipeline() {
  discard();
}

void Pipeline::set_format(const FrameKind &in, const FrameKind &out) {
  discard();
  free_.clear();
  frames_.clear();
  in_ = in;
  out_ = out;
  const int width = GST_VIDEO_INFO_WIDTH(&in.info), height = GST_VIDEO_INFO_HEIGHT(&in.info);
  const activity::Grid grid = activity::grid_for(width, height);
  if (grid.width != grid_.width || grid.height != grid_.height) {
    cleanup_ = cleanup::make(device_, width, height);
    watch_location_.reset();
    blob_cells_.assign(std::size_t(grid.cells()), 0);
    rate_map_ = DeviceBuffer(device_, blob_cells_.size());
  }
  grid_ = grid;
  scene_.set_format(pixel_format(in.info), grid);
  style_ = overlay_style(out.info);
}

Pipeline::Frame &Pipeline::take_frame() {
  if (free_.empty()) {
    frames_.push_back(std::make_unique<Frame>(device_, in_, out_, grid_));
    free_.push_back(frames_.back().get());
  }
  Frame &f = *free_.back();
  f.close(); // ends what an exception left half done
  return f;
}

void Pipeline::submit(GstBuffer *in, GstBuffer *out, const FrameTime &time, double seconds,
                      const Settings &settings, Output output) {
  if (!pending_.empty() && settings != group_) launch();
  prepare_watch(settings.mask_location);
  group_ = settings;

  Frame &f = take_frame();
  f.time = time;
  f.seconds = seconds;
  f.output = output;
  f.tuning = settings.tuning;
  f.motion = settings.motion;
  f.picture = f.reader.open_for_reading(in, *upload_, stats_.pictures);
  if (out) f.result = f.writer.open_for_writing(out, *upload_);
  f.uploaded->record(*upload_);
  f.mask = output == Output::mask ? f.result.plane(0)
                                  : Plane<std::uint8_t>{f.scratch.as<std::uint8_t>(), grid_.width,
                                                        grid_.height, mask_stride(grid_.width)};
  f.in.reset(gst_buffer_ref(in));
  if (out) f.out.reset(gst_buffer_ref(out)); // not before it is mapped for writing: that takes a sole owner
  free_.pop_back();
  pending_.push_back(&f);
  if (int(pending_.size()) < settings.flow.group_size) return;
  try {
    launch();
  } catch (...) {
    discard(); // a group that failed once would fail with every further frame
    throw;
  }
}

void Pipeline::launch() {
  if (pending_.empty()) return;
  prepare_model();
  Frame &first = *pending_.front();
  const std::uint64_t learnt = model_->frames;
  steps_.clear();
  first.timer->start(*compute_);
  for (Frame *f : pending_) {
    compute_->after(*f->uploaded);
    f->compared = learnt + steps_.size() > 0;
    const double rate =
        learning_.next_rate(group_.mog, group_.tuning, learnt + steps_.size() + 1, f->seconds);
    const ConstImage seen =
        scene_.before(f->scene, f->picture, *model_, group_, learning_.relearning(), *compute_);
    steps_.push_back({seen, f->mask, rate});
  }
  const mog::RateMap rates = upload_rates(first, steps_.front().learning_rate);
  model_->apply(steps_, group_.mog, rates, *compute_);
  for (Frame *f : pending_) analyse(*f);
  first.timer->stop(*compute_);
  first.timed = int(pending_.size());
  computed_->record(*compute_);
  download_->after(*computed_);
  for (Frame *f : pending_) fetch(*f);
  in_flight_.insert(in_flight_.end(), pending_.begin(), pending_.end());
  pending_.clear();
}

mog::RateMap Pipeline::upload_rates(Frame &first, double learning_rate) {
  const std::span<const std::uint8_t> paces = scene_.paces(group_.tuning);
  if (paces.empty()) return {};
  std::copy(paces.begin(), paces.end(), first.host_rates.as<std::uint8_t>());
  device_.upload(rate_map_.as(), first.host_rates.as<void>(), paces.size(), *compute_);
  if (device_.backend() != Backend::cpu) stats_.result_bytes += paces.size();
  return scene_.rates(rate_map_.as<const std::uint8_t>(), group_.tuning, learning_rate);
}

void Pipeline::analyse(Frame &f) {
  Plane<const std::uint8_t> watch;
  if (watch_) watch = {watch_.as<const std::uint8_t>(), grid_.width, grid_.height, grid_.width};
  if (watch_ || group_.cleanup != cleanup::Params{.median = 0, .open = 0, .close = 0})
    cleanup_->apply(f.mask, watch, group_.cleanup, *compute_);
  counter_->apply(f.mask, grid_, f.cells.as<activity::Cell>(), *compute_);
  scene_.after(f.scene, f.mask, group_, *compute_);
  if (f.output == Output::foreground)
    composer_->foreground(f.picture, f.mask, style_, f.result, *compute_);
  else if (f.output == Output::background)
    model_->background(f.result, *compute_);
}

void Pipeline::fetch(Frame &f) {
  device_.download(f.host_cells.as<void>(), f.cells.as(), f.cells.bytes(), *download_);
  if (device_.backend() != Backend::cpu) stats_.result_bytes += f.cells.bytes();
  scene_.fetch(f.scene, *download_);
  if (f.out && f.output != Output::overlay) f.writer.send(*download_, stats_.pictures);
  f.done->record(*download_);
}

std::optional<Finished> Pipeline::next(bool drain) {
  if (drain) launch();
  const std::size_t allowed = drain ? 0 : std::size_t(group_.flow.async_depth);
  if (in_flight_.size() <= allowed) return {};
  Frame &f = *in_flight_.front();
  f.done->wait();
  Finished result;
  result.time = f.time;
  result.seconds = f.seconds;
  result.motion = f.motion;
  find_blobs(f, result);
  scene_.observe(f.scene, blob_cells_, {f.host_cells.as<const activity::Cell>(), std::size_t(grid_.cells())},
                 f.seconds, f.tuning);
  if (f.output == Output::overlay) draw(f, result);
  f.reader.close();
  f.writer.close();
  result.buffer = f.out ? std::move(f.out) : std::move(f.in);
  if (f.timed) stats_.kernel_ms += stats_.kernel_last_ms = f.timer->milliseconds();
  if (f.timed) stats_.kernel_last_ms /= f.timed;
  stats_.frames++;
  f.close();
  in_flight_.pop_front();
  free_.push_back(&f);
  return result;
}

void Pipeline::find_blobs(Frame &f, Finished &result) {
  std::fill(blob_cells_.begin(), blob_cells_.end(), 0);
  if (!f.compared) return; // a new model takes all of its first frame for foreground
  const std::span cells(f.host_cells.as<const activity::Cell>(), std::size_t(grid_.cells()));
  const activity::Blobs found =
      activity::find_blobs(cells, grid_, static_cast<std::uint32_t>(f.motion.min_area), blob_cells_);
  const double watched = double(std::max<std::uint64_t>(watched_pixels_, 1));
  const double foreground = double(found.foreground) / watched;
  result.light = learning_.observe(foreground, f.tuning);
  if (result.light != Learning::Light::steady) {
    result.changed_fraction = foreground;
    std::fill(blob_cells_.begin(), blob_cells_.end(), 0);
    return;
  }
  std::uint64_t area = 0;
  for (const activity::Blob &b : found.blobs) {
    result.boxes.push_back({b.x, b.y, b.width, b.height, b.area});
    area += b.area;
  }
  result.changed_fraction = double(area) / watched;
}

void Pipeline::draw(Frame &f, const Finished &result) {
  composer_->overlay(f.picture, f.mask, boxes_to_draw(result.boxes), style_, f.result, *download_);
  f.writer.send(*download_, stats_.pictures);
  f.done->record(*download_);
  f.done->wait();
}

void Pipeline::discard() noexcept {
  try {
    for (Queue *q : {upload_.get(), compute_.get(), download_.get()}) q->wait();
  } catch (const std::exception &e) {
    GST_WARNING("the device failed while frames were dropped: %s", e.what());
  }
  for (auto *queue : {&pending_, &in_flight_}) {
    for (Frame *f : *queue) {
      f->close();
      free_.push_back(f);
    }
    queue->clear();
  }
}

Stats Pipeline::stats() const {
  Stats s = stats_;
  if (model_) s.model_frames = model_->frames;
  s.exposure = scene_.lines().channel[0];
  s.ghost_cells = scene_.waiting().ghosts();
  s.object_cells = scene_.waiting().objects();
  return s;
}

void Pipeline::prepare_watch(const std::string &location) {
  if (watch_location_ == location) return;
  DeviceBuffer watch;
  std::uint64_t pixels = std::uint64_t(grid_.width) * grid_.height;
  if (!location.empty()) {
    const std::vector<std::uint8_t> image = read_grey_png(location, grid_.width, grid_.height);
    pixels = std::uint64_t(std::count_if(image.begin(), image.end(), [](int v) { return v != 0; }));
    watch = DeviceBuffer(device_, image.size());
    device_.upload(watch.as(), image.data(), image.size(), *compute_);
    compute_->wait();
  }
  compute_->wait(); // frames under way look at the mask that goes
  watch_ = std::move(watch);
  watched_pixels_ = pixels;
  watch_location_ = location;
}

} // namespace vigil::gst::cudamog
