// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps, pools, frames and events of VigilClTransform. Frames come out in the format and size in which they came in.
#include "common/error.h"
#include "gst/base/allocation.h"
#include "gst/base/errors.h"
#include "gst/base/opencl_element.h"
#include "gst/base/streaming.h"
#include "gst/base/video.h"

#include <utility>

namespace vigil::gst {
namespace {

guint frames_held(const ClSettings &s) {
  return static_cast<guint>(s.flow.async_depth);
}

// Frames

// Never called: that there is one tells the base class to keep a pool for what comes out.
GstFlowReturn transform(GstBaseTransform *, GstBuffer *, GstBuffer *) {
  return GST_FLOW_NOT_SUPPORTED; // frames go through submit_input_buffer and generate_output
}

// The oldest frame when more than `allowed` are held, or null.
GstBuffer *take_finished(GstBaseTransform *trans, std::size_t allowed) {
  ClImpl &impl = cl_impl_of(trans);
  std::optional<ClPipeline::Finished> f;
  {
    const std::lock_guard lock(impl.work_mutex);
    if (impl.pipeline) f = impl.pipeline->next(allowed);
  }
  if (!f) return nullptr;
  impl.work->publish(f->buffer, f->time, f->use, f->result);
  const std::lock_guard lock(impl.work_mutex);
  impl.pipeline->recycle(f->frame);
  return f->buffer.release();
}

void drain(GstBaseTransform *trans) {
  push_all(trans, [trans] { return take_finished(trans, 0); });
}

// To the CUDA or OpenGL context of a frame.
using Follow = std::optional<Error> (*)(VigilClTransform *, GstBuffer *);
void go_over(GstBaseTransform *trans, GstBuffer *buffer, Follow follow) {
  ClImpl &impl = cl_impl_of(trans);
  drain(trans);
  std::optional<Error> warning;
  {
    const std::lock_guard lock(impl.work_mutex);
    warning = follow(reinterpret_cast<VigilClTransform *>(trans), buffer);
  }
  if (warning) post_warning(GST_ELEMENT(trans), *warning);
  gst_base_transform_reconfigure_src(trans); // pools are of the old context
}

GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean discont, GstBuffer *input) {
  BufferPtr in;
  const GstFlowReturn taken = take_input(cl_parent_class(), trans, discont, input, in);
  if (taken != GST_FLOW_OK) return taken;
  ClImpl &impl = cl_impl_of(trans);
  return guard(trans, GST_FLOW_ERROR, [&] {
    if (impl.kind.cuda_memory && is_cuda_memory(in.get()) && !impl.cuda.owns(in.get()))
      go_over(trans, in.get(), follow_context);
    if (is_of_new_gl(impl, in.get())) go_over(trans, in.get(), follow_gl);
    const bool overlap = frames_held(impl.snapshot()) > 0;
    const FrameTime time = frame_time(trans->segment, in.get());
    ClUse use = ClUse::none;
    bool may_replace = false;
    {
      const std::lock_guard lock(impl.work_mutex);
      if (!impl.work) fail_without_device();
      use = impl.work->next_use();
      may_replace = impl.pipeline->may_replace();
    }
    BufferPtr out;
    // libgstcuda's way of making a frame writable cannot copy all formats
    const bool in_place =
        use == ClUse::change &&
        !(may_replace && !(gst_buffer_is_writable(in.get()) && gst_buffer_is_all_memory_writable(in.get())));
    if (use == ClUse::make || (use == ClUse::change && !in_place)) {
      GstBuffer *made = nullptr;
      const GstFlowReturn flow = cl_parent_class()->prepare_output_buffer(trans, in.get(), &made);
      if (flow != GST_FLOW_OK) return flow;
      out.reset(made);
    } else if (in_place) {
      in.reset(gst_buffer_make_writable(in.release()));
    }
    ByteCounts copied;
    {
      const std::lock_guard lock(impl.work_mutex);
      impl.pipeline->submit(std::move(in), std::move(out), time, use, overlap);
      copied = impl.pipeline->stats().pictures;
    }
    if (impl.cuda_device && !impl.warned)
      impl.host_copies.warn(GST_ELEMENT(trans), impl.kind, *impl.cuda_device, copied);
    return GST_FLOW_OK;
  });
}

GstFlowReturn generate_output(GstBaseTransform *trans, GstBuffer **output) {
  return guard(trans, GST_FLOW_ERROR, [&] {
    *output = take_finished(trans, frames_held(cl_impl_of(trans).snapshot()));
    return GST_FLOW_OK;
  });
}

// Events and queries

void discard(GstBaseTransform *trans) {
  ClImpl &impl = cl_impl_of(trans);
  const std::lock_guard lock(impl.work_mutex);
  if (impl.pipeline) impl.pipeline->discard();
}

constexpr HeldFrames held_frames{
    discard, drain, [](GstBaseTransform *trans) { return int(frames_held(cl_impl_of(trans).snapshot())); }};

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  before_event(trans, event, held_frames);
  return cl_parent_class()->sink_event(trans, event);
}

gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  ClImpl &impl = cl_impl_of(trans);
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT &&
      (impl.cuda.answer(GST_ELEMENT(trans), query) || impl.gl.answer(query)))
    return TRUE;
  return answer_query(cl_parent_class(), trans, direction, query, held_frames);
}

// Caps and pools

gboolean set_caps(GstBaseTransform *trans, GstCaps *in, GstCaps *) {
  drain(trans);
  return guard(trans, gboolean{FALSE}, [&]() -> gboolean {
    ClImpl &impl = cl_impl_of(trans);
    const FrameKind kind = frame_kind(in);
    std::optional<Error> warning;
    {
      const std::lock_guard lock(impl.work_mutex);
      warning = take_format(reinterpret_cast<VigilClTransform *>(trans), kind);
    }
    if (warning) post_warning(GST_ELEMENT(trans), *warning);
    return TRUE;
  });
}

gboolean get_unit_size(GstBaseTransform *, GstCaps *caps, gsize *size) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return FALSE;
  *size = GST_VIDEO_INFO_SIZE(&info);
  return TRUE;
}

// Upstream learns how many of its frames we hold, so that a pool of a fixed size does not run dry.
gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decided, GstQuery *query) {
  auto *klass = G_TYPE_INSTANCE_GET_CLASS(trans, vigil_cl_transform_get_type(), VigilClTransformClass);
  const guint held = frames_held(cl_impl_of(trans).snapshot());
  if (klass->passes_frames && held == 0 && gst_pad_peer_query(GST_BASE_TRANSFORM_SRC_PAD(trans), query)) {
    withdraw_crops(query);
    return TRUE;
  }
  if (!cl_parent_class()->propose_allocation(trans, decided, query)) return FALSE;
  propose_pool(&cl_impl_of(trans).cuda, query, held + 1, &cl_impl_of(trans).gl);
  return TRUE;
}

gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  ClImpl &impl = cl_impl_of(trans);
  return decide_pool(&impl.cuda, query, frames_held(impl.snapshot()) + 1, &impl.gl) &&
         cl_parent_class()->decide_allocation(trans, query);
}

gboolean transform_meta(GstBaseTransform *trans, GstBuffer *out, GstMeta *meta, GstBuffer *in) {
  return describes_a_place(meta) || cl_parent_class()->transform_meta(trans, out, meta, in);
}

} // namespace

void install_cl_streaming(GstBaseTransformClass *klass) {
  klass->passthrough_on_same_caps = FALSE;
  klass->submit_input_buffer = submit_input_buffer;
  klass->transform = transform;
  klass->generate_output = generate_output;
  klass->before_transform = sync_controlled;
  klass->sink_event = sink_event;
  klass->query = query;
  klass->set_caps = set_caps;
  klass->get_unit_size = get_unit_size;
  klass->propose_allocation = propose_allocation;
  klass->decide_allocation = decide_allocation;
  klass->transform_meta = transform_meta;
}

} // namespace vigil::gst
