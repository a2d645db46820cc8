// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames in CUDA memory, for tests of elements on a GPU.
#pragma once

#include "gst/compat.h"
#include "tests/elements/fixture.h"

#include <gst/base/gstbasetransform.h>

namespace vigil::test {

struct Size {
  int width, height;
};

// libgstcuda 1.22 loses most of the V plane of I420 frames of an odd height when it copies them to or from
// system memory (its rows begin in the middle of the rows that it copies); frames that stay on the device are
// right.
inline Size survives_copies(const char *format, Size s) {
  if (std::string(format) == "I420") s.height += s.height % 2;
  return s;
}

// A CUDA context of its own, or somebody's, and frames in its memory.
class CudaFrames {
 public:
  CudaFrames() : context_(gst_cuda_context_new(0)) { fail_unless(context_ != nullptr); }
  explicit CudaFrames(GstCudaContext *context) : context_(context) { gst_object_ref(context); }
  ~CudaFrames() {
    if (pool_) gst_buffer_pool_set_active(pool_, FALSE);
    gst_clear_object(&pool_);
    gst_object_unref(context_);
  }
  GstCudaContext *context() { return context_; }
  GstContext *share() { return gst_context_new_cuda_context(context_); }

  void caps(const std::string &caps) {
    pool_ = gst_cuda_buffer_pool_new(context_);
    GstCaps *c = gst_caps_from_string(caps.c_str());
    GstVideoInfo info;
    fail_unless(gst_video_info_from_caps(&info, c));
    GstStructure *config = gst_buffer_pool_get_config(pool_);
    gst_buffer_pool_config_set_params(config, c, guint(GST_VIDEO_INFO_SIZE(&info)), 0, 0);
    fail_unless(gst_buffer_pool_set_config(pool_, config) && gst_buffer_pool_set_active(pool_, TRUE));
    gst_caps_unref(c);
  }
  // The pool that the element offers to those before it: libgstcuda's own knows no GRAY8.
  void offered_by(Harness &e, const std::string &caps) {
    GstCaps *c = gst_caps_from_string(caps.c_str());
    GstQuery *query = gst_query_new_allocation(c, TRUE);
    fail_unless(gst_pad_query(GST_BASE_TRANSFORM_SINK_PAD(e.get()), query));
    guint size = 0, min = 0, max = 0;
    gst_query_parse_nth_allocation_pool(query, 0, &pool_, &size, &min, &max);
    fail_unless(pool_ && size > 0);
    fail_unless(gst_buffer_pool_set_active(pool_, TRUE));
    gst_query_unref(query);
    gst_caps_unref(c);
  }
  GstBuffer *buffer(const Picture &p, int number) {
    GstBuffer *cuda = nullptr, *plain = p.buffer(number);
    fail_unless_equals_int(gst_buffer_pool_acquire_buffer(pool_, &cuda, nullptr), GST_FLOW_OK);
    GstVideoFrame from, to;
    GstVideoInfo info = p.info;
    fail_unless(gst_video_frame_map(&from, &info, plain, GST_MAP_READ));
    fail_unless(gst_video_frame_map(&to, &info, cuda, GST_MAP_WRITE));
    fail_unless(gst_video_frame_copy(&to, &from));
    gst_video_frame_unmap(&to);
    gst_video_frame_unmap(&from);
    gst_buffer_copy_into(cuda, plain, GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
    gst_buffer_unref(plain);
    return cuda;
  }

 private:
  GstCudaContext *context_;
  GstBufferPool *pool_ = nullptr;
};

} // namespace vigil::test
