// SPDX-License-Identifier: LGPL-2.1-or-later
// A plugin with the names of a GPU's elements, as GStreamer's registry remembers them. With
// VIGIL_TEST_GPU_GONE set it does not load, as nvcodec does when the driver finds no GPU any more.
#include <cstdlib>
#include <gst/gst.h>
#include <string>

namespace {

void class_init(gpointer klass, gpointer) {
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Gone", "Filter/Video", "Does nothing",
                                        "Vigil's tests");
}

gboolean init(GstPlugin *plugin) {
  if (std::getenv("VIGIL_TEST_GPU_GONE")) return FALSE;
  GTypeInfo info{};
  info.class_size = sizeof(GstElementClass);
  info.class_init = class_init;
  info.instance_size = sizeof(GstElement);
  for (const char *name : {"nvh264dec", "cudaupload", "cudaconvert", "cudascale", "cudadownload"}) {
    const std::string type_name = std::string("Gone") + name;
    const GType type =
        g_type_register_static(GST_TYPE_ELEMENT, type_name.c_str(), &info, static_cast<GTypeFlags>(0));
    if (!gst_element_register(plugin, name, GST_RANK_NONE, type)) return FALSE;
  }
  return TRUE;
}

} // namespace

#define PACKAGE "vigil-tests"
#pragma GCC visibility push(default)
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, gonegpu, "Elements of a GPU that is gone", init, "1",
                  "LGPL", PACKAGE, "https://example.org/")
