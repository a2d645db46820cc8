// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps and buffer pools of glcolinearseg. RGBA comes out, as large as what came in, in the same kind of memory or, if the next
// element asks for that, in textures; the base class knows about those in textures.
#include "common/error.h"
#include "gst/errors.h"
#include "gst/frames/caps.h"
#include "gst/frames/formats.h"
#include "gst/glcolinearseg/element.h"
#include "gst/transform/pools.h"

#include <string_view>
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

Memory memory_of(const GstCaps *caps) {
  return is_gl_caps(caps) ? Memory::textures : is_cuda_caps(caps) ? Memory::cuda : Memory::system;
}

// Appends frames like these in this kind of memory, in RGBA or in any format.
void append_frames(GstCaps *caps, const GstStructure *frames, const char *feature, bool rgba) {
  GstStructure *s = gst_structure_copy(frames);
  const char *format = gst_structure_get_string(s, "format");
  if (!rgba || g_strcmp0(format, "RGBA") != 0)
    gst_structure_remove_fields(s, "colorimetry", "chroma-site", nullptr);
  if (rgba)
    gst_structure_set(s, "format", G_TYPE_STRING, "RGBA", nullptr);
  else
    gst_structure_remove_field(s, "format"); // the pad's template says which
  if (feature == std::string_view(gl_memory_feature))
    gst_structure_set(s, "texture-target", G_TYPE_STRING, GST_GL_TEXTURE_TARGET_2D_STR, nullptr);
  else
    gst_structure_remove_field(s, "texture-target");
  gst_caps_append_structure_full(caps, s, gst_caps_features_new(feature, nullptr));
}

// What comes in has to be in a format that kernels read, where it must be CUDA that works; takes the caps.
GstCaps *in_reach(GstCaps *caps, GstPadDirection direction, Impl &impl) {
  {
    const std::lock_guard lock(impl.mutex);
    if (direction != GST_PAD_SRC || impl.settings.backend != Where::cuda) return caps;
  }
  static GstStaticCaps formats =
      GST_STATIC_CAPS("video/x-raw(ANY), format = (string) { RGBA, NV12, I420, BGRA, BGRx, RGBx }");
  GstCaps *read = gst_static_caps_get(&formats);
  GstCaps *both = gst_caps_intersect_full(caps, read, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(read);
  gst_caps_unref(caps);
  return both;
}

// The same memory comes first, and RGBA as it is.
GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps, GstCaps *filter) {
  constexpr const char *outside[] = {cuda_memory_feature, GST_CAPS_FEATURE_MEMORY_SYSTEM_MEMORY};
  GstCaps *all = gst_caps_new_empty();
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    const GstCapsFeatures *features = gst_caps_get_features(caps, i);
    const GstStructure *frames = gst_caps_get_structure(caps, i);
    if (gst_caps_features_is_any(features) || gst_caps_features_get_size(features) != 1 ||
        gst_caps_features_contains(features, gl_memory_feature)) {
      gst_caps_append_structure_full(all, gst_structure_copy(frames), gst_caps_features_copy(features));
      if (direction == GST_PAD_SRC && gst_caps_features_contains(features, gl_memory_feature))
        for (const char *feature : outside) append_frames(all, frames, feature, false);
      continue;
    }
    const char *feature = gst_caps_features_get_nth(features, 0);
    append_frames(all, frames, feature, true);
    append_frames(all, frames, direction == GST_PAD_SINK ? gl_memory_feature : feature,
                  direction == GST_PAD_SINK);
  }
  return filter_caps(in_reach(all, direction, impl_of(trans)), filter);
}

gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decided, GstQuery *query) {
  const GstCaps *caps = caps_of(query);
  Impl &impl = impl_of(trans);
  if (!caps || is_gl_caps(caps)) {
    if (!base_class()->propose_allocation(trans, decided, query)) return FALSE;
    if (const guint held = frames_held(impl)) raise_pools(query, held);
    return TRUE;
  }
  propose_pool(&impl.cuda, nullptr, query, frames_held(impl));
  return TRUE;
}

// Work in OpenGL needs the base class's context also for frames that are in other memory. What goes out to system memory is in
// OpenGL memory then as well, which is downloaded when it is mapped.
gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  Impl &impl = impl_of(trans);
  const GstCaps *caps = caps_of(query);
  if (!caps || is_gl_caps(caps)) {
    const guint held = caps ? frames_held(impl) : 0;
    if (held && gst_query_get_n_allocation_pools(query) > 0)
      raise_pools(query, held);
    else if (held)
      gst_query_add_allocation_pool(query, nullptr,
                                    guint(GST_VIDEO_INFO_SIZE(&GST_GL_FILTER(trans)->out_info)), held + 1, 0);
    return base_class()->decide_allocation(trans, query);
  }
  if (impl.on_cuda) return decide_pool(&impl.cuda, nullptr, query, frames_held(impl) + 1);
  if (!is_cuda_caps(caps)) return base_class()->decide_allocation(trans, query);
  return decide_pool(&impl.cuda, nullptr, query, 1) && context_class()->decide_allocation(trans, query);
}

gboolean transform_meta(GstBaseTransform *trans, GstBuffer *out, GstMeta *meta, GstBuffer *in) {
  return describes_a_place(meta) || base_class()->transform_meta(trans, out, meta, in);
}

std::unique_ptr<Device> open_cuda_device(GstGLFilter *filter) {
  try {
    return impl_of(filter).cuda.open(GST_ELEMENT(filter), -1);
  } catch (const Error &e) {
    fail(e.kind(), e.what(), "; backend=opengl works without a CUDA device");
  }
}

// Where frames of these caps are worked on. A worker that stays there goes on with them.
void choose_place(GstGLFilter *filter, const GstCaps *in, const GstCaps *out) {
  Impl &impl = impl_of(filter);
  impl.outlet.drain();
  const guint held = frames_held(impl);
  {
    const std::lock_guard lock(impl.mutex);
    const Where wanted = impl.settings.backend;
    impl.on_cuda = wanted == Where::cuda || (wanted == Where::automatic && impl.memory_in == Memory::cuda);
  }
  if (frames_held(impl) != held)
    gst_element_post_message(GST_ELEMENT(filter), gst_message_new_latency(GST_OBJECT(filter)));
  if (!impl.on_cuda && impl.memory_in != Memory::cuda)
    use_cuda(impl, nullptr);
  else if (!impl.device)
    use_cuda(impl, open_cuda_device(filter));
  if (!impl.on_cuda) return;
  impl.kind_in = frame_kind(in);
  impl.kind_out = frame_kind(out);
  const int width = GST_VIDEO_INFO_WIDTH(&filter->in_info), height = GST_VIDEO_INFO_HEIGHT(&filter->in_info);
  const CudaWorker *worker = impl.cuda_worker.get();
  if (worker && worker->width() == width && worker->height() == height)
    impl.cuda_worker->set_kinds(impl.kind_in, impl.kind_out);
}

gboolean set_caps(GstGLFilter *filter, GstCaps *in, GstCaps *out) {
  Impl &impl = impl_of(filter);
  impl.memory_in = memory_of(in);
  impl.memory_out = memory_of(out);
  impl.changes_frames = impl.memory_in != impl.memory_out ||
                        GST_VIDEO_INFO_FORMAT(&filter->in_info) != GST_VIDEO_INFO_FORMAT(&filter->out_info);
  const bool ready = guard(filter, false, [&] {
    check_frames(filter->in_info);
    choose_place(filter, in, out);
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

guint frames_held(Impl &impl) {
  const std::lock_guard lock(impl.mutex);
  return impl.on_cuda ? guint(impl.settings.flow.async_depth) : 0;
}

void use_cuda(Impl &impl, std::unique_ptr<Device> device) {
  if (impl.cuda_worker) give_up_worker(impl);
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
  transform_class->transform_meta = transform_meta;
}

} // namespace vigil::gst::glcolinearseg
