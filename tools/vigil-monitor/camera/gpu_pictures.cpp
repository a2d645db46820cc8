// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gpu_pictures.h"

#include "gst/video/gst_ptr.h"

#include <dlfcn.h>

namespace vigil::monitor {

bool has_cuda_driver() {
  static const bool found = [] {
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    return driver != nullptr; // kept open: the plugin opens it too
  }();
  return found;
}

// GStreamer's registry may know elements of a GPU that is gone or hidden since, so each is made once.
bool on_gpu() {
  static const bool found = [] {
    for (const char *name : {"nvh264dec", "cudaupload", "cudaconvert", "cudascale", "cudadownload"}) {
      const gst::ObjectPtr<GstElement> made(gst_element_factory_make(name, nullptr));
      if (!made) return false;
      gst_object_ref_sink(made.get());
    }
    return has_cuda_driver();
  }();
  return found;
}

} // namespace vigil::monitor
