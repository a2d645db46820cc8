// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames, events and queries of glcolinearseg. For work in OpenGL the base class calls filter() on the OpenGL thread, while the streaming
// thread waits; messages are posted by the streaming thread, which does the work in CUDA itself.
#include "common/error.h"
#include "gst/errors.h"
#include "gst/frames/formats.h"
#include "gst/glcolinearseg/element.h"
#include "gst/memory/gl_context.h"
#include "gst/memory/gl_thread.h"
#include "gst/observe/png.h"

#include <utility>

namespace vigil::gst::glcolinearseg {
namespace {

GstBaseTransformClass *base_class() {
  return GST_BASE_TRANSFORM_CLASS(parent_class());
}

// A frame's texture, while it is mapped.
class Texture {
 public:
  Texture(GstVideoInfo &info, GstBuffer *buffer, GstMapFlags flags) {
    if (!gst_video_frame_map(&frame_, &info, buffer, static_cast<GstMapFlags>(int(flags) | GST_MAP_GL)))
      fail(Error::Kind::bad_data, "a frame is not OpenGL memory that can be mapped");
    if (!gst_is_gl_memory(frame_.map[0].memory)) {
      gst_video_frame_unmap(&frame_);
      fail(Error::Kind::bad_data, "a frame is not OpenGL memory, as its caps say");
    }
  }
  ~Texture() { gst_video_frame_unmap(&frame_); }
  Texture(const Texture &) = delete;
  Texture &operator=(const Texture &) = delete;
  GLuint id() const { return *static_cast<const GLuint *>(frame_.data[0]); }

 private:
  GstVideoFrame frame_{};
};

// The base class's OpenGL context, which any thread may change; null where there is none.
std::unique_ptr<GstGLContext, ObjectUnref> context_now(GstBaseTransform *trans) {
  return std::unique_ptr<GstGLContext, ObjectUnref>(
      gst_gl_base_filter_get_gl_context(GST_GL_BASE_FILTER(trans)));
}

// What the next frame begins with.
struct Start {
  bool fresh = false; // there is no worker of the frames' size in this place
  bool learn = false;
  std::optional<Picture> background;
  std::optional<colinearseg::State> state; // from another place
};

// What is left of the work in a place that is given up; nothing when it was lost while learning.
std::optional<colinearseg::State> rescue(Worker &worker) {
  try {
    if (!worker.lost()) return worker.save();
  } catch (const Error &e) {
    GST_WARNING("what was in the old OpenGL context or CUDA device cannot be read: %s", e.what());
  }
  return worker.take_kept();
}

// The background that is to be set before this frame. A file that cannot be used is an error at the beginning, later a
// warning, and the background stays.
Start prepare(GstBaseTransform *trans) {
  Impl &impl = impl_of(trans);
  const GstVideoInfo &info = GST_GL_FILTER(trans)->in_info;
  const int width = GST_VIDEO_INFO_WIDTH(&info), height = GST_VIDEO_INFO_HEIGHT(&info);
  Start start;
  bool location_changed = false;
  {
    const std::lock_guard lock(impl.mutex);
    impl.current = impl.settings;
    start.learn = std::exchange(impl.learn, false);
    start.background = std::exchange(impl.given, {});
    location_changed = std::exchange(impl.location_changed, false);
  }
  auto context = impl.on_cuda ? nullptr : context_now(trans);
  if (!context && !impl.on_cuda)
    fail(Error::Kind::no_device, "a frame came before there was an OpenGL context");
  if (impl.worker() && impl.context != context) { // frames are worked on in another place now
    GST_INFO_OBJECT(trans, "the OpenGL context is another one, or none: going over to it");
    give_up_worker(impl);
  }
  if (!impl.worker() && context) impl.context = std::move(context);
  const Worker *worker = impl.worker();
  start.fresh = !worker || worker->width() != width || worker->height() != height;
  if (start.fresh && impl.rescued) start.state = std::exchange(impl.rescued, {});
  if (start.state && (start.state->config.width != width || start.state->config.height != height))
    start.state.reset();
  const std::string &location = impl.current.background_location;
  const bool wanted = location_changed || (start.fresh && !start.state && !start.learn);
  if (!wanted || start.background) return start;
  if (location.empty()) {
    start.learn = true;
    return start;
  }
  try {
    start.background = Picture{width, height, read_rgba_png(location, width, height)};
  } catch (const Error &e) {
    if (start.fresh && !start.state) throw;
    post_warning(GST_ELEMENT(trans), e);
  }
  return start;
}

void make_worker(Impl &impl, const GstVideoInfo &out) {
  impl.gl_worker.reset();
  impl.cuda_worker.reset();
  if (impl.on_cuda) {
    impl.cuda_worker = std::make_unique<CudaWorker>(*impl.device, impl.kind_in, impl.kind_out, impl.current);
    return;
  }
  GstGLContext *context = impl.context.get();
  impl.gl_worker = std::make_unique<GlWorker>(
      [context](const char *name) { return gst_gl_context_get_proc_address(context, name); }, out,
      impl.current);
}

// Where the frame is worked on.
void begin(GstGLFilter *filter, Start &start) {
  Impl &impl = impl_of(filter);
  const int frames = impl.current.learning.background_frames;
  if (start.fresh) {
    make_worker(impl, filter->out_info);
    if (start.state) impl.worker()->load(*start.state);
  }
  if (start.background)
    impl.worker()->set_background(*start.background, frames);
  else if (start.learn && (!start.fresh || start.state))
    impl.worker()->learn(frames);
}

gboolean filter_buffer(GstGLFilter *filter, GstBuffer *in, GstBuffer *out) {
  Impl &impl = impl_of(filter);
  try {
    const Texture frame(filter->out_info, in, GST_MAP_READ); // like what goes out: of RGBA
    std::optional<Texture> target;
    if (impl.current.output != Output::passthrough) target.emplace(filter->out_info, out, GST_MAP_WRITE);
    impl.found = impl.gl_worker->process(frame.id(), target ? target->id() : 0, impl.current);
    return TRUE;
  } catch (...) {
    impl.error = std::current_exception();
    return FALSE;
  }
}

void publish(GstBaseTransform *trans, GstBuffer *out, const FrameTime &time, const Found &found,
             const MotionSettings &settings) {
  Impl &impl = impl_of(trans);
  {
    const std::lock_guard lock(impl.mutex);
    impl.stats = impl.worker()->stats();
  }
  add_boxes(out, "motion", found.boxes);
  impl.motion_time = GST_CLOCK_TIME_IS_VALID(time.running)
                         ? time.running
                         : impl.motion_time + duration_of(GST_GL_FILTER(trans)->in_info, time);
  impl.last_time = time;
  post_motion(GST_ELEMENT(trans), impl.motion.step(found.changed_fraction, settings, impl.motion_time),
              settings, time, found.changed_fraction, found.boxes);
}

// With output=passthrough the buffer that came in goes out or, where others have it too, another one around its memory, so that metadata
// can be added to it.
GstFlowReturn prepare_output_buffer(GstBaseTransform *trans, GstBuffer *in, GstBuffer **out) {
  return guard(trans, GST_FLOW_ERROR, [&] {
    Impl &impl = impl_of(trans);
    Start start = prepare(trans);
    if (impl.on_cuda)
      begin(GST_GL_FILTER(trans), start);
    else
      on_thread_of(impl.context.get(), [&] { begin(GST_GL_FILTER(trans), start); });
    if (impl.current.output != Output::passthrough || impl.changes_frames)
      return base_class()->prepare_output_buffer(trans, in, out);
    // Another buffer around the memory costs its pool that memory. (GStreamer's upload keeps a reference to what it took.)
    const bool alone = impl.memory_in == Memory::textures && gst_buffer_is_writable(in);
    *out = impl.on_cuda ? gst_buffer_ref(in) : alone ? in : gst_buffer_copy(in);
    return GST_FLOW_OK;
  });
}

// A frame that is not in a texture, at least when it comes, for work in OpenGL.
GstFlowReturn transform_outside(GstBaseTransform *trans, GstBuffer *in, GstBuffer *out) {
  Impl &impl = impl_of(trans);
  GstGLFilter *filter = GST_GL_FILTER(trans);
  GstGLContext *context = impl.context.get();
  const bool in_cuda = impl.memory_in == Memory::cuda;
  if (in_cuda && !is_cuda_memory(in))
    fail(Error::Kind::bad_data, "the caps promise CUDA memory, but this frame is not in CUDA memory");
  std::optional<Outside::Cuda> cuda;
  if (in_cuda) cuda.emplace(Outside::Cuda{*impl.device, *impl.queue, *impl.scratch});
  if (!impl.outside || !impl.outside->serves(context, filter->in_info, filter->out_info))
    impl.outside = std::make_unique<Outside>(context, filter->in_info, filter->out_info);
  const bool draws = impl.current.output != Output::passthrough, stays = impl.memory_out == Memory::textures;
  const bool in_target = !draws && impl.changes_frames && is_gl_memory(out);
  ByteCounts copied;
  GstBuffer *texture = impl.outside->load(in, in_target ? out : nullptr, cuda ? &*cuda : nullptr, copied);
  GstBuffer *target = draws ? impl.outside->target(out) : nullptr;
  gboolean done = FALSE;
  on_thread_of(context, [&] {
    done = filter_buffer(filter, texture, target);
    if (GstGLSyncMeta *meta = stays ? gst_buffer_get_gl_sync_meta(out) : nullptr)
      gst_gl_sync_meta_set_sync_point(meta, context);
  });
  if (!done) return GST_FLOW_ERROR;
  if (!stays && (draws || impl.changes_frames))
    impl.outside->store(draws ? target : texture, out, cuda ? &*cuda : nullptr, copied);
  impl.outside->release();
  if (impl.outside->cuda_through_host()) impl.host_copies.post(GST_ELEMENT(trans), *impl.device);
  const std::lock_guard lock(impl.mutex);
  impl.copied += copied;
  return GST_FLOW_OK;
}

GstFlowReturn transform(GstBaseTransform *trans, GstBuffer *in, GstBuffer *out) {
  Impl &impl = impl_of(trans);
  return guard(trans, GST_FLOW_ERROR, [&] {
    impl.error = nullptr;
    const FrameTime time = frame_time(trans->segment, in);
    const GstFlowReturn flow = impl.memory_in == Memory::textures ? base_class()->transform(trans, in, out)
                                                                  : transform_outside(trans, in, out);
    if (impl.error) std::rethrow_exception(std::exchange(impl.error, nullptr));
    if (flow == GST_FLOW_OK) publish(trans, out, time, impl.found, impl.current.motion);
    return flow;
  });
}

// In CUDA frames are taken in and come out by themselves, since several may be under way.
GstFlowReturn submit_on_cuda(GstBaseTransform *trans, GstBuffer *in) {
  Impl &impl = impl_of(trans);
  GstBuffer *made = nullptr;
  const GstFlowReturn flow = prepare_output_buffer(trans, in, &made);
  if (flow != GST_FLOW_OK) return flow;
  BufferPtr out(made);
  const bool written = impl.current.output != Output::passthrough || impl.changes_frames;
  impl.cuda_worker->submit(BufferPtr(gst_buffer_ref(in)), std::move(out), written,
                           frame_time(trans->segment, in), impl.outlet.accept(), impl.current);
  return GST_FLOW_OK;
}

// Buffer pools are of a context: a change of it asks for new ones before the next frame.
GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean discont, GstBuffer *input) {
  Impl &impl = impl_of(trans);
  if (impl.gl_worker && impl.context != context_now(trans)) gst_base_transform_reconfigure_src(trans);
  if (impl.memory_in == Memory::cuda && impl.device && is_cuda_memory(input) && !impl.cuda.owns(input)) {
    GST_INFO_OBJECT(trans, "the frames are of another CUDA context: going over to it");
    const bool there = guard(trans, false, [&] {
      impl.outlet.drain();
      use_cuda(impl, impl.cuda.adopt(input));
      return true;
    });
    if (!there) {
      gst_buffer_unref(input);
      return GST_FLOW_ERROR;
    }
    gst_base_transform_reconfigure_src(trans);
  }
  // It may negotiate: where frames are worked on is known after it.
  BufferPtr in;
  const GstFlowReturn flow = impl.outlet.receive(base_class(), discont, input, in);
  if (flow != GST_FLOW_OK || !in) return flow;
  if (!impl.on_cuda) {
    impl.outlet.pass(std::move(in));
    return GST_FLOW_OK;
  }
  return guard(trans, GST_FLOW_ERROR, [&] { return submit_on_cuda(trans, in.get()); });
}

GstFlowReturn generate_output(GstBaseTransform *trans, GstBuffer **output) {
  Impl &impl = impl_of(trans);
  return impl.on_cuda ? impl.outlet.generate(output) : base_class()->generate_output(trans, output);
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  Impl &impl = impl_of(trans);
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS) {
    impl.outlet.drain();
    FrameTime over = impl.last_time; // motion ends with the last frame
    over.running = impl.motion_time;
    post_motion(GST_ELEMENT(trans), impl.motion.stop(), impl.current.motion, over, 0, {});
  }
  return impl.outlet.sink_event(base_class(), event);
}

gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT && impl_of(trans).cuda.answer(GST_ELEMENT(trans), query))
    return TRUE;
  return impl_of(trans).outlet.answer(base_class(), direction, query);
}

gboolean start(GstBaseTransform *trans) {
  Impl &impl = impl_of(trans);
  impl.motion = {};
  impl.motion_time = 0;
  impl.last_time = {};
  {
    const std::lock_guard lock(impl.mutex);
    impl.stats = {};
    impl.copied = {};
  }
  return base_class()->start(trans);
}

// The base class forgets its context here, so what is in it goes first; also when the context was another one by then.
gboolean stop(GstBaseTransform *trans) {
  Impl &impl = impl_of(trans);
  impl.rescued.reset();
  guard(trans, false, [&] {
    if (impl.gl_worker)
      on_thread_of(impl.context.get(), [&] {
        if (impl.gl_worker->lost()) impl.rescued = impl.gl_worker->take_kept();
        impl.gl_worker.reset();
      });
    impl.cuda_worker.reset();
    return true;
  });
  impl.outside.reset();
  use_cuda(impl, nullptr);
  impl.context.reset();
  impl.outlet.reset();
  {
    const std::lock_guard lock(impl.mutex);
    impl.width = impl.height = 0;
  }
  return base_class()->stop(trans);
}

} // namespace

std::optional<FrameSource::Taken> Impl::take(bool all) {
  if (!cuda_worker) return {};
  std::optional<Finished> f = cuda_worker->next(all ? 0 : std::size_t(current.flow.async_depth));
  const ByteCounts now = cuda_worker->take_copied();
  if (memory_in != Memory::system && now.to_device > 0) host_copies.post(GST_ELEMENT(trans), *device);
  {
    const std::lock_guard lock(mutex);
    copied += now;
  }
  if (!f) return {};
  BufferPtr out(gst_buffer_make_writable(f->buffer.release()));
  publish(trans, out.get(), f->time, f->found, f->motion);
  return Taken{std::move(out), f->discont};
}

void Impl::discard() noexcept {
  if (cuda_worker) cuda_worker->discard();
}

int Impl::most_held() {
  return int(frames_held(*this));
}

void give_up_worker(Impl &impl) {
  if (impl.gl_worker)
    on_thread_of(impl.context.get(), [&] {
      impl.rescued = rescue(*impl.gl_worker);
      impl.gl_worker.reset();
    });
  if (impl.cuda_worker) {
    impl.rescued = rescue(*impl.cuda_worker);
    impl.cuda_worker.reset();
  }
  impl.context.reset();
}

void install_streaming(GstGLFilterClass *klass) {
  klass->filter = filter_buffer;
  auto *transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->start = start;
  transform_class->stop = stop;
  transform_class->submit_input_buffer = submit_input_buffer;
  transform_class->prepare_output_buffer = prepare_output_buffer;
  transform_class->transform = transform;
  transform_class->generate_output = generate_output;
  transform_class->sink_event = sink_event;
  transform_class->query = query;
  transform_class->before_transform = sync_controlled;
}

} // namespace vigil::gst::glcolinearseg
