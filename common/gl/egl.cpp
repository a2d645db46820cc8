// SPDX-License-Identifier: LGPL-2.1-or-later
// A context without a window or a display server: EGL on a device, or on Mesa's surfaceless platform.
#include "common/device.h"
#include "common/error.h"
#include "common/gl/device.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <array>
#include <dlfcn.h>
#include <string_view>
#include <vector>

namespace vigil {
namespace {

struct Egl {
  decltype(&eglGetProcAddress) get_proc = nullptr;
  decltype(&eglInitialize) initialize = nullptr;
  decltype(&eglTerminate) terminate = nullptr;
  decltype(&eglBindAPI) bind_api = nullptr;
  decltype(&eglCreateContext) create_context = nullptr;
  decltype(&eglDestroyContext) destroy_context = nullptr;
  decltype(&eglMakeCurrent) make_current = nullptr;
  decltype(&eglQueryString) query_string = nullptr;
  decltype(&eglGetCurrentContext) current_context = nullptr;
  decltype(&eglGetCurrentDisplay) current_display = nullptr;
  PFNEGLGETPLATFORMDISPLAYEXTPROC get_display = nullptr;
  PFNEGLQUERYDEVICESEXTPROC query_devices = nullptr;
};

Egl load_egl() {
  void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    fail(Error::Kind::no_device, "there is no EGL (libEGL.so.1); install it, or a driver that brings it");
  Egl e;
  const auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (!function) fail(Error::Kind::no_device, "libEGL.so.1 has no ", name, "; EGL 1.4 or newer is needed");
  };
  find(e.get_proc, "eglGetProcAddress");
  find(e.initialize, "eglInitialize");
  find(e.terminate, "eglTerminate");
  find(e.bind_api, "eglBindAPI");
  find(e.create_context, "eglCreateContext");
  find(e.destroy_context, "eglDestroyContext");
  find(e.make_current, "eglMakeCurrent");
  find(e.query_string, "eglQueryString");
  find(e.current_context, "eglGetCurrentContext");
  find(e.current_display, "eglGetCurrentDisplay");
  e.get_display = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(e.get_proc("eglGetPlatformDisplayEXT"));
  e.query_devices = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(e.get_proc("eglQueryDevicesEXT"));
  if (!e.get_display) fail(Error::Kind::no_device, "this EGL has no eglGetPlatformDisplayEXT");
  return e;
}
const Egl &egl() {
  static const Egl e = load_egl(); // after an exception the next call tries again
  return e;
}

// A context that is current on this thread for as long as the object lives; the one before is then current
// again.
struct Context {
  EGLDisplay display = EGL_NO_DISPLAY, display_before = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT, context_before = EGL_NO_CONTEXT;
  Context() : display_before(egl().current_display()), context_before(egl().current_context()) {}
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  ~Context() {
    if (!context) return;
    if (context_before)
      egl().make_current(display_before, EGL_NO_SURFACE, EGL_NO_SURFACE, context_before);
    else
      egl().make_current(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    egl().destroy_context(display, context);
  }
  bool make(EGLDisplay d, bool es) {
    EGLint major = 0, minor = 0;
    if (d == EGL_NO_DISPLAY || !egl().initialize(d, &major, &minor)) return false;
    const char *extensions = egl().query_string(d, EGL_EXTENSIONS);
    if (!extensions ||
        std::string_view(extensions).find("EGL_KHR_no_config_context") == std::string_view::npos)
      return false;
    if (!egl().bind_api(es ? EGL_OPENGL_ES_API : EGL_OPENGL_API)) return false;
    // Some drivers give just the version that is asked for, so the newest that is of use here comes first.
    using Version = std::array<EGLint, 2>;
    const std::vector<Version> versions =
        es ? std::vector<Version>{{3, 0}} : std::vector<Version>{{4, 6}, {4, 3}, {3, 3}};
    EGLContext c = EGL_NO_CONTEXT;
    for (std::size_t i = 0; !c && i < versions.size(); i++) {
      const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                   versions[i][0],
                                   EGL_CONTEXT_MINOR_VERSION,
                                   versions[i][1],
                                   es ? EGL_NONE : EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                   EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                   EGL_NONE};
      c = egl().create_context(d, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    }
    if (!c) return false;
    if (!egl().make_current(d, EGL_NO_SURFACE, EGL_NO_SURFACE, c)) {
      egl().destroy_context(d, c);
      return false;
    }
    display = d;
    context = c;
    return true;
  }
};

class EglDevice final : private Context, public GlDevice {
 public:
  explicit EglDevice(bool es)
      : Context(), GlDevice([&] {
          open(*this, es);
          return GlLoader([](const char *n) { return reinterpret_cast<void *>(egl().get_proc(n)); });
        }()) {}

 private:
  // Hardware devices first; EGL lists them before software ones.
  static void open(Context &c, bool es) {
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    if (egl().query_devices) egl().query_devices(EGLint(devices.size()), devices.data(), &count);
    for (EGLint i = 0; i < count; i++)
      if (c.make(egl().get_display(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr), es)) return;
    if (c.make(egl().get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr), es)) return;
    fail(Error::Kind::no_device, "EGL gives no OpenGL ", es ? "ES 3.0" : "3.3",
         " context without a display (", count, count == 1 ? " device" : " devices",
         " tried, and Mesa's surfaceless platform)");
  }
};

} // namespace

std::unique_ptr<GlDevice> open_egl(bool es) {
  return std::make_unique<EglDevice>(es);
}

EglNames current_egl() {
  try {
    const EGLContext context = egl().current_context();
    return context ? EglNames{context, egl().current_display()} : EglNames{};
  } catch (const Error &) { // there is no EGL
    return {};
  }
}

std::unique_ptr<Device> open_gl_es() {
  return open_egl(true);
}

std::unique_ptr<Device> open_gl() {
  try {
    return open_egl(false);
  } catch (const Error &) {
    return open_egl(true);
  }
}

} // namespace vigil
