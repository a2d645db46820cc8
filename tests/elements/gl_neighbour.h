// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "gst/memory/gl_thread.h"
#include "tests/elements/fixture.h"

#include <algorithm>
#include <gst/gl/gstglfuncs.h>
#include <initializer_list>
#include <vector>

namespace vigil::test {

// A neighbour that leaves OpenGL's state in a mess before the element, and looks for it behind. GStreamer's
// own elements get it as they expect it, and so does the state of uploads: the frame's texture is filled by
// GStreamer when the element maps it (tests/opengl/state.cpp has that state, too).
class Neighbour {
 public:
  explicit Neighbour(GstElement *element) {
    for (const char *name : {"sink", "src"}) {
      GstPad *pad = gst_element_get_static_pad(element, name);
      gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, name[1] == 'i' ? before : behind, this, nullptr);
      gst_object_unref(pad);
    }
  }
  int frames = 0;           // that came out
  std::vector<GLenum> lost; // state that was another one then

 private:
  struct Number {
    GLenum name;
    GLint mess, plain;
  };
  static constexpr Number numbers[] = {
      {GL_PACK_ALIGNMENT, 8, 4}, {GL_PACK_ROW_LENGTH, 4096, 0}, {GL_PACK_SKIP_PIXELS, 3, 0}};
  static constexpr GLenum switches[] = {GL_BLEND, GL_CULL_FACE, GL_DEPTH_TEST, GL_SCISSOR_TEST,
                                        GL_STENCIL_TEST};
  static constexpr GLint viewport[] = {5, 6, 7, 8};
  static constexpr GLenum unit = GL_TEXTURE0 + 5;

  template <class Fn>
  static void in_context_of(GstPadProbeInfo *info, Fn fn) {
    GstMemory *memory = gst_buffer_peek_memory(GST_PAD_PROBE_INFO_BUFFER(info), 0);
    fail_unless(gst_is_gl_memory(memory), "a frame is not in OpenGL");
    GstGLContext *context = GST_GL_BASE_MEMORY_CAST(memory)->context;
    gst::on_thread_of(context, [&] { fn(*context->gl_vtable); });
  }
  static GstPadProbeReturn before(GstPad *, GstPadProbeInfo *info, gpointer data) {
    auto *self = static_cast<Neighbour *>(data);
    in_context_of(info, [&](const GstGLFuncs &gl) {
      if (!self->buffer_) {
        gl.GenBuffers(1, &self->buffer_);
        gl.BindBuffer(GL_PIXEL_PACK_BUFFER, self->buffer_);
        gl.BufferData(GL_PIXEL_PACK_BUFFER, 64, nullptr, GL_STREAM_COPY);
      }
      for (const Number &n : numbers) gl.PixelStorei(n.name, n.mess);
      gl.BindBuffer(GL_PIXEL_PACK_BUFFER, self->buffer_);
      for (const GLenum s : switches) gl.Enable(s);
      gl.Scissor(1, 2, 3, 4);
      gl.Viewport(viewport[0], viewport[1], viewport[2], viewport[3]);
      gl.ColorMask(GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE);
      gl.ActiveTexture(unit);
    });
    return GST_PAD_PROBE_OK;
  }
  static GstPadProbeReturn behind(GstPad *, GstPadProbeInfo *info, gpointer data) {
    auto *self = static_cast<Neighbour *>(data);
    in_context_of(info, [&](const GstGLFuncs &gl) {
      const auto expect = [&](GLenum name, std::initializer_list<GLint> want) {
        GLint is[4] = {};
        gl.GetIntegerv(name, is);
        if (!std::equal(want.begin(), want.end(), is)) self->lost.push_back(name);
      };
      for (const Number &n : numbers) expect(n.name, {n.mess});
      expect(GL_PIXEL_PACK_BUFFER_BINDING, {GLint(self->buffer_)});
      for (const GLenum s : switches) expect(s, {GL_TRUE});
      expect(GL_SCISSOR_BOX, {1, 2, 3, 4});
      expect(GL_VIEWPORT, {viewport[0], viewport[1], viewport[2], viewport[3]});
      expect(GL_COLOR_WRITEMASK, {GL_FALSE, GL_TRUE, GL_FALSE, GL_TRUE});
      expect(GL_ACTIVE_TEXTURE, {GLint(unit)});
      for (const Number &n : numbers) gl.PixelStorei(n.name, n.plain);
      gl.BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
      for (const GLenum s : switches) gl.Disable(s);
      gl.ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
      gl.ActiveTexture(GL_TEXTURE0);
      self->frames++;
    });
    return GST_PAD_PROBE_OK;
  }
  GLuint buffer_ = 0;
};

} // namespace vigil::test
