// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/elements/gl_calls.h"

#include <cstring>
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>
#include <string>
#include <vector>

namespace vigil::test::gl_calls {
namespace {

// The driver's own functions, as they were asked for last.
template <class Function>
struct Original {
  static inline std::atomic<gpointer> address = nullptr;
  static auto call() { return reinterpret_cast<typename Function::Type *>(address.load()); }
};
struct ReadPixels {
  using Type = void GSTGLAPI(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *);
  static void GSTGLAPI ours(GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLenum type, void *data) {
    pixels_read += std::uint64_t(w) * std::uint64_t(h);
    Original<ReadPixels>::call()(x, y, w, h, format, type, data);
  }
};
struct GetTexImage {
  using Type = void GSTGLAPI(GLenum, GLint, GLenum, GLenum, void *);
  static void GSTGLAPI ours(GLenum target, GLint level, GLenum format, GLenum type, void *data) {
    pixels_read += 1 << 20; // its size is not known here
    Original<GetTexImage>::call()(target, level, format, type, data);
  }
};
struct TexSubImage2D {
  using Type = void GSTGLAPI(GLenum, GLint, GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, const void *);
  static void GSTGLAPI ours(GLenum target, GLint level, GLint x, GLint y, GLsizei w, GLsizei h, GLenum format,
                            GLenum type, const void *data) {
    pixels_written += std::uint64_t(w) * std::uint64_t(h);
    Original<TexSubImage2D>::call()(target, level, x, y, w, h, format, type, data);
  }
};
struct TexImage2D {
  using Type = void GSTGLAPI(GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum, const void *);
  static void GSTGLAPI ours(GLenum target, GLint level, GLint inside, GLsizei w, GLsizei h, GLint border,
                            GLenum format, GLenum type, const void *data) {
    if (data) pixels_written += std::uint64_t(w) * std::uint64_t(h);
    Original<TexImage2D>::call()(target, level, inside, w, h, border, format, type, data);
  }
};
struct GetGraphicsResetStatus {
  using Type = GLenum GSTGLAPI();
  static GLenum GSTGLAPI ours() {
    constexpr GLenum unknown_context_reset = 0x8255;
    return reset ? unknown_context_reset : Original<GetGraphicsResetStatus>::call()();
  }
};
struct ShaderSource {
  using Type = void GSTGLAPI(GLuint, GLsizei, const char *const *, const GLint *);
  static void GSTGLAPI ours(GLuint shader, GLsizei count, const char *const *texts, const GLint *lengths) {
    if (const char *from = word; from && count == 1 && !lengths) {
      std::string other = texts[0];
      for (std::size_t at = 0; (at = other.find(from, at)) != other.npos; at += std::strlen(other_word))
        other.replace(at, std::strlen(from), other_word.load());
      const char *start = other.c_str();
      return Original<ShaderSource>::call()(shader, 1, &start, nullptr);
    }
    if (refuse_shaders && count == 1 && !lengths &&
        std::string(texts[0]).find("texelFetch") != std::string::npos) {
      const std::string wrong = texts[0] + std::string("\n#error made by the test\n");
      const char *start = wrong.c_str();
      Original<ShaderSource>::call()(shader, 1, &start, nullptr);
    } else
      Original<ShaderSource>::call()(shader, count, texts, lengths);
  }
};

struct GetIntegerv {
  using Type = void GSTGLAPI(GLenum, GLint *);
  static void GSTGLAPI ours(GLenum name, GLint *value) {
    Original<GetIntegerv>::call()(name, value);
    if (lowered && name == lowered) *value = 1;
  }
};

template <class Function>
gpointer instead(gpointer address) {
  Original<Function>::address = address;
  return reinterpret_cast<gpointer>(&Function::ours);
}

gpointer (*driver)(GstGLAPI, const gchar *) = nullptr;

gpointer get_proc_address(GstGLAPI api, const gchar *name) {
  static const struct {
    const char *name;
    gpointer (*instead)(gpointer);
  } watched[] = {{"glReadPixels", instead<ReadPixels>},
                 {"glGetTexImage", instead<GetTexImage>},
                 {"glTexSubImage2D", instead<TexSubImage2D>},
                 {"glTexImage2D", instead<TexImage2D>},
                 {"glGetGraphicsResetStatus", instead<GetGraphicsResetStatus>},
                 {"glShaderSource", instead<ShaderSource>},
                 {"glGetIntegerv", instead<GetIntegerv>}};
  const gpointer address = driver(api, name);
  for (const auto &w : watched)
    if (address && g_str_equal(name, w.name)) return w.instead(address);
  return address;
}

} // namespace

void watch() {
  if (driver) return;
  GstGLDisplay *display = gst_gl_display_new();
  GstGLContext *context = gst_gl_context_new(display); // for its class
  GstGLContextClass *klass = GST_GL_CONTEXT_GET_CLASS(context);
  driver = klass->get_proc_address;
  klass->get_proc_address = get_proc_address;
  gst_object_unref(context);
  gst_object_unref(display);
}

} // namespace vigil::test::gl_calls
