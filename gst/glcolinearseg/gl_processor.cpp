// SPDX-License-Identifier: LGPL-2.1-or-later
// The work of glcolinearseg in an OpenGL context, on that context's thread: the streaming thread goes there
// once for each frame, and waits. Blobs are found by the streaming thread afterwards, or on the
// context's thread where an overlay shows them. When run() returns, a frame has its boxes, and what was drawn
// is in order with all else that the context does. What others in the context did wrong before is not taken
// for our own failure.
#include "common/device_cast.h"
#include "common/error.h"
#include "gst/glcolinearseg/gl_steady.h"
#include "gst/glcolinearseg/label_blobs.h"
#include "gst/glcolinearseg/processor.h"
#include "gst/memory/gl_device.h"
#include "gst/memory/gl_texture.h"
#include "kernels/colinearseg/gl_results.h"

#include <algorithm>
#include <deque>
#include <gst/gl/gstglfuncs.h>
#include <optional>
#include <utility>
#include <vector>

namespace vigil::gst::glcolinearseg {
namespace {

using colinearseg::Show;

constexpr std::size_t timers = 8; // frames that may be under way before one goes untimed

// How long the GPU takes for frames, without waiting for it: those that find no timer free go untimed.
class FrameTimes {
 public:
  explicit FrameTimes(GlContextDevice &device) {
    for (std::size_t i = 0; device.has_timer() && i < timers; i++) idle_.push_back(device.make_clock());
  }
  void start(Queue &queue) {
    while (!running_.empty() && running_.front()->ready()) {
      last_ms = running_.front()->milliseconds();
      all_ms += last_ms;
      frames++;
      idle_.push_back(std::move(running_.front()));
      running_.pop_front();
    }
    if (!idle_.empty()) idle_.back()->start(queue);
  }
  void stop(Queue &queue) {
    if (idle_.empty()) return;
    idle_.back()->stop(queue);
    running_.push_back(std::move(idle_.back()));
    idle_.pop_back();
  }
  double all_ms = 0, last_ms = 0;
  std::uint64_t frames = 0; // that were timed

 private:
  std::deque<std::unique_ptr<Timer>> running_; // oldest first
  std::vector<std::unique_ptr<Timer>> idle_;
};

// What lives on the thread.
struct Parts {
  Parts(GlContextDevice &device, const colinearseg::Config &config, const Settings &s)
      : segmenter(device, config, s.learning.background_frames, s.path), steady(device),
        results(device, config), times(device) {}
  colinearseg::GlSegmenter segmenter;
  GlSteady steady;
  colinearseg::GlResults results;
  FrameTimes times;
};

class GlProcessor final : public SegmentProcessor {
 public:
  GlProcessor(GlContextDevice &device, SegmentElement &element)
      : SegmentProcessor(device, element), device_(device), queue_(device.make_queue()) {}
  ~GlProcessor() override {
    if (parts_ && !give_back_on_thread_of(device_.context(), [this] { parts_.reset(); }))
      static_cast<void>(parts_.release());
  }

  std::unique_ptr<PerFrameData> make_frame_data() override { return std::make_unique<Read>(); }
  void run(std::span<FrameTask *const> tasks, Queue &) override {
    on_thread([&] {
      for (FrameTask *task : tasks) run(*task);
    });
    for (FrameTask *task : tasks) {
      find_blobs(read_of(*task));
      mask_bytes_ += masks_->take(analysis_of(*task).attached);
    }
  }
  void pass_by(FrameTask &task, Queue &) override {
    on_thread([&] { pass_by(task); });
  }
  std::uint64_t result_bytes() const override {
    return bytes_before_ + label_bytes_ + mask_bytes_ + bytes_read();
  }
  bool lost() const override { return device_.lost(); }

 private:
  struct Read final : Analysis {
    std::vector<GLuint> labels; // empty: blobs are found already, or not wanted
  };
  static Read &read_of(const FrameTask &task) { return static_cast<Read &>(*task.result); }

  template <class Fn>
  void on_thread(Fn fn) const {
    on_thread_of(device_.context(), fn);
  }
  std::uint64_t bytes_read() const {
    if (!parts_) return 0;
    return parts_->segmenter.bytes_read() + parts_->steady.bytes_read();
  }
  // Any thread.
  void find_blobs(Read &r) {
    if (r.labels.empty()) return;
    r.found = found_in(blobs_->find(r.labels, r.settings.motion.min_area));
    r.labels.clear();
  }

  // From here on all but save() is on the thread.
  void make(const colinearseg::Config &config, const Settings &s) override {
    device_.forget_errors();
    parts_ = std::make_unique<Parts>(device_, config, s);
    blobs_ = std::make_unique<LabelBlobs>(config);
  }
  void unmake() override {
    bytes_before_ += bytes_read();
    kept_.reset();
    parts_.reset();
  }
  void learn(int frames) override {
    device_.forget_errors();
    kept_.reset();
    parts_->segmenter.learn(frames);
    device_.check("beginning to learn the background");
  }
  void set_background(const Picture &p, int learn_frames) override {
    device_.forget_errors();
    kept_.reset();
    parts_->steady.restart();
    parts_->segmenter.set_background(p.image(), learn_frames);
    device_.check("setting the background");
  }
  void load(const colinearseg::State &s) override {
    device_.forget_errors();
    parts_->segmenter.load(s);
    device_.check("loading the background");
  }
  colinearseg::State save() const override {
    std::optional<colinearseg::State> state;
    on_thread([&] { state = parts_->segmenter.save(); });
    return std::move(*state);
  }
  std::optional<colinearseg::State> take_kept() override { return std::move(kept_); }
  void keep() {
    kept_ = parts_->segmenter.save();
    kept_->frames = 0;
    kept_->exact.clear();
    std::fill(kept_->mask.begin(), kept_->mask.end(), std::uint8_t{0});
  }

  // As device_processor.cpp's.
  void pass_by(FrameTask &task) {
    const Output output = analysis_of(task).settings.output;
    if (GstGLSyncMeta *meta = gst_buffer_get_gl_sync_meta(task.in_texture))
      gst_gl_sync_meta_wait(meta, device_.context());
    device_.forget_errors();
    {
      const MappedTexture frame(gst_buffer_peek_memory(task.in_texture, 0), GST_MAP_READ);
      const MappedTexture target(gst_buffer_peek_memory(task.out_texture, 0), GST_MAP_WRITE);
      if (output == Output::passthrough || output == Output::overlay)
        copy(task.in_texture, target.texture());
      else if (output == Output::background && parts_)
        parts_->results.draw(Show::background, frame.texture(), parts_->segmenter, {}, style_,
                             target.texture());
      else
        clear(target.texture());
    }
    if (GstGLSyncMeta *meta = gst_buffer_get_gl_sync_meta(task.out_texture))
      gst_gl_sync_meta_set_sync_point(meta, device_.context());
  }

  void clear(GLuint texture) const {
    const GstGLFuncs *gl = device_.context()->gl_vtable;
    GLuint target = 0;
    gl->GenFramebuffers(1, &target);
    gl->BindFramebuffer(GL_FRAMEBUFFER, target);
    gl->FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    gl->ClearColor(0, 0, 0, 0);
    gl->Clear(GL_COLOR_BUFFER_BIT);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl->DeleteFramebuffers(1, &target);
    device_.check("clearing a picture");
  }

  void run(FrameTask &task) {
    Read &a = read_of(task);
    begin(a);
    if (GstGLSyncMeta *meta = gst_buffer_get_gl_sync_meta(task.in_texture))
      gst_gl_sync_meta_wait(meta, device_.context());
    const MappedTexture frame(gst_buffer_peek_memory(task.in_texture, 0), GST_MAP_READ);
    std::optional<MappedTexture> target;
    if (task.out_texture) target.emplace(gst_buffer_peek_memory(task.out_texture, 0), GST_MAP_WRITE);
    const bool draws = a.settings.output != Output::passthrough;
    if (target && !draws) copy(task.in_texture, target->texture());
    process(a, frame.texture(), target && draws ? target->texture() : 0);
    target.reset();
    if (task.out_texture)
      if (GstGLSyncMeta *meta = gst_buffer_get_gl_sync_meta(task.out_texture))
        gst_gl_sync_meta_set_sync_point(meta, device_.context());
  }

  void copy(GstBuffer *from, GLuint to) {
    if (!gst_gl_memory_copy_into(GST_GL_MEMORY_CAST(gst_buffer_peek_memory(from, 0)), to,
                                 GST_GL_TEXTURE_TARGET_2D, GST_GL_RGBA, config_.width, config_.height))
      fail(Error::Kind::device, "OpenGL cannot copy a texture");
  }

  void process(Read &a, GLuint frame, GLuint target) {
    const Settings &s = a.settings;
    auto &[segmenter, steady, results, times] = *parts_;
    device_.forget_errors();
    times.start(*queue_);
    const bool learning = segmenter.progress().learning();
    segmenter.segment(steady.apply(frame, s.exposure == Exposure::automatic, segmenter), s.params);
    if (s.params.adapt_rate > 0)
      kept_.reset(); // it would be of another light one day: to learn again is better then
    else if (!kept_ && segmenter.progress().settled())
      keep();
    const Show show = show_for(s.output);
    if (target && show != Show::overlay) results.draw(show, frame, segmenter, {}, style_, target);
    times.stop(*queue_);
    const bool report = s.tuning.report && !learning;
    std::uint32_t *const wanted = wanted_labels(a);
    if (report || wanted) segmenter.mask().read(a.labels);
    if (report) label_bytes_ += a.labels.size() * sizeof(GLuint);
    if (wanted) std::ranges::copy(a.labels, wanted);
    if (!report) a.labels.clear();
    if (target && show == Show::overlay) {
      find_blobs(a);
      results.draw(show, frame, segmenter, boxes_to_draw(a.found.boxes), style_, target);
    }
    element_.report({segmenter.progress(), colinearseg::resolve(s.params, segmenter.progress().noise),
                     name_of(segmenter.path()), times.frames ? times.all_ms / double(times.frames) : 0,
                     times.last_ms});
  }

  GlContextDevice &device_;
  std::unique_ptr<Queue> queue_; // for timers, which ask for one
  std::unique_ptr<Parts> parts_;
  std::optional<colinearseg::State>
      kept_; // made when the noise of a background that does not adapt had been measured
  std::unique_ptr<LabelBlobs> blobs_;
  std::uint64_t bytes_before_ = 0; // read back by parts that are gone
  std::uint64_t label_bytes_ = 0;  // read back for blobs
};

} // namespace

std::unique_ptr<SegmentProcessor> make_gl_work(Device &device, SegmentElement &element) {
  return std::make_unique<GlProcessor>(device_cast<GlContextDevice>(device), element);
}

} // namespace vigil::gst::glcolinearseg
