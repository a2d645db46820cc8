// SPDX-License-Identifier: LGPL-2.1-or-later
// GStreamer's words for pictures, and the kernels'.
#pragma once

#include "common/plane.h"

#include <array>
#include <gst/video/video.h>
#include <initializer_list>

namespace vigil::gst {

// The formats that kernels read and write directly, for pad templates.
#define VIGIL_VIDEO_FORMAT_NAMES "NV12, I420, GRAY8, RGBA, RGBx, BGRA, BGRx, YV12, NV21"
#define VIGIL_VIDEO_FORMATS "{ " VIGIL_VIDEO_FORMAT_NAMES " }"

// The kernels' name of the format. YV12 is i420, whose planes image_of() puts in order; NV21 is nv12 with V
// in the place of U (has_v_first). Throws Error::bad_setting for a format that no element takes.
PixelFormat pixel_format(const GstVideoInfo &);
// Whether the pairs of chroma are V U: then the kernels' second channel is V.
bool has_v_first(const GstVideoInfo &);

constexpr int largest_side = 32767; // pixels; the products of two are whole numbers of 31 bits

// Throws Error::bad_setting for frames that no element of ours takes, naming the remedy: interlaced ones, and
// those with a side above largest_side.
void check_frames(const GstVideoInfo &);

// gst_video_frame_map(). Throws Error::bad_data, with nothing mapped, when the buffer is too small or cannot
// be mapped, and when it is of another size or format than its caps say: its own metadata (GstVideoMeta)
// outweighs them, but what works on it was made for the caps.
// `texture`: it is mapped as one, whose name the plane's address leads to.
void map_frame(GstVideoFrame &, const GstVideoInfo &caps, GstBuffer *, GstMapFlags, bool texture = false);

// What red and blue count in the luma of these frames, by the matrix that the caps name.
struct LumaWeights {
  double kr, kb;
};
LumaWeights luma_weights(const GstVideoInfo &);
// A colour given as R G B 0..255 in the picture's own channels (R G B, Y U V, Y V U where has_v_first(), or
// grey), by the matrix and range that the caps name.
std::array<std::uint8_t, 3> colour_in(const GstVideoInfo &, std::array<std::uint8_t, 3> rgb);

// The picture that a mapped frame holds.
Image image_of(const GstVideoFrame &);

// How long a frame lasts by the caps of a pad; 1/30 s when they do not tell.
GstClockTime frame_duration(const GstVideoInfo &);
GstClockTime frame_duration(GstPad *);

// Configures a new pool for these caps, whose frames `info` describes. `size` gets the bytes of its buffers,
// as the pool has them. Takes the pool, and gives it back; null when it does not want that.
GstBufferPool *configured(GstBufferPool *, GstCaps *, const GstVideoInfo &info, guint min_buffers,
                          std::initializer_list<const char *> options, guint &size);
// A configured pool of frames in system memory for these caps; `size` gets the bytes of its buffers. Null
// where that fails.
GstBufferPool *new_video_pool(GstCaps *, bool video_meta, guint min_buffers, guint &size);

// Whether metadata is about the place or the size of something in the picture, and nothing else: then it
// holds for what an element makes of the picture, too.
bool describes_a_place(const GstMeta *);

} // namespace vigil::gst
