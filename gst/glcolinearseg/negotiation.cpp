// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps and buffer pools of glcolinearseg. Frames come out as large, and in the same kind of memory, as they came in; the base
// class knows about those in textures.
#include "common/error.h"
#include "gst/base/allocation.h"
#include "gst/base/errors.h"
#include "gst/glcolinearseg/element.h"

#include <utility>

namespace vigil::gst::glcolinearseg {
namespace {

GstBaseTransformClass *base_class() {
  return GST_BASE_TRANSFORM_CLASS(parent_class());
}
// The base class of the base class, which knows about the OpenGL context and nothing about memory.
GstBaseTransformClass *context_class() {
  return GST_BASE_TRANSFORM_CLASS(g_type_class_peek_parent(parent_class()));
}
const GstCaps *caps_of(GstQuery *query) {
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  return caps;
}

GstCaps *transform_caps(GstBaseTransform *, GstPadDirection, GstCaps *caps, GstCaps *filter) {
  return filter ? gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST) : gst_caps_ref(caps);
}

gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decided, GstQuery *query) {
  const GstCaps *caps = caps_of(query);
  if (!caps || is_gl_caps(caps)) return base_class()->propose_allocation(trans, decided, query);
  propose_pool(&impl_of(trans).cuda, query, 1);
  return TRUE;
}

// Frames that go out to system memory are in OpenGL memory as well, which is downloaded when it is mapped.
gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  const GstCaps *caps = caps_of(query);
  if (!caps || !is_cuda_caps(caps)) return base_class()->decide_allocation(trans, query);
  return decide_pool(&impl_of(trans).cuda, query, 1) && context_class()->decide_allocation(trans, query);
}

gboolean set_caps(GstGLFilter *filter, GstCaps *in, GstCaps *) {
  Impl &impl = impl_of(filter);
  const bool ready = guard(filter, false, [&] {
    if (!is_cuda_caps(in))
      use_cuda(impl, nullptr);
    else if (!impl.device)
      use_cuda(impl, impl.cuda.open(GST_ELEMENT(filter), -1));
    return true;
  });
  if (!ready) return FALSE;
  std::optional<Picture> unfit;
  {
    const std::lock_guard lock(impl.mutex);
    impl.width = GST_VIDEO_INFO_WIDTH(&filter->in_info);
    impl.height = GST_VIDEO_INFO_HEIGHT(&filter->in_info);
    if (impl.given && (impl.given->width != impl.width || impl.given->height != impl.height))
      unfit = std::exchange(impl.given, {});
  }
  if (unfit)
    post_warning(GST_ELEMENT(filter),
                 Error(Error::Kind::bad_data,
                       text("the background that was given is of ", unfit->width, "x", unfit->height,
                            " pixels, but the frames are of ", GST_VIDEO_INFO_WIDTH(&filter->in_info), "x",
                            GST_VIDEO_INFO_HEIGHT(&filter->in_info), "; it is dropped")));
  return TRUE;
}

} // namespace

Memory memory_of(GstBaseTransform *trans) {
  const GstCaps *caps = GST_GL_FILTER(trans)->out_caps;
  return !caps || is_gl_caps(caps) ? Memory::textures : is_cuda_caps(caps) ? Memory::cuda : Memory::system;
}

void use_cuda(Impl &impl, std::unique_ptr<Device> device) {
  impl.queue.reset();
  impl.scratch.reset();
  impl.device = std::move(device);
  if (!impl.device) return;
  impl.queue = impl.device->make_queue();
  impl.scratch = impl.device->make_event();
}

void install_negotiation(GstGLFilterClass *klass) {
  klass->set_caps = set_caps;
  auto *transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->transform_caps = transform_caps;
  transform_class->propose_allocation = propose_allocation;
  transform_class->decide_allocation = decide_allocation;
}

} // namespace vigil::gst::glcolinearseg
