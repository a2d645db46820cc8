// SPDX-License-Identifier: LGPL-2.1-or-later
// The plugin registers its elements and touches no device: gst-inspect works on any machine.
#include "gst/elements.h"
#include "vigil-config.h"

#include <gst/gst.h>

static gboolean plugin_init(GstPlugin *plugin) {
  gboolean any = vigil_register_cudamog(plugin);
  any |= vigil_register_boxrules(plugin);
  any |= vigil_register_boxtrack(plugin);
  any |= vigil_register_gpufisher(plugin);
  any |= vigil_register_scenetestsrc(plugin);
  any |= vigil_register_glcolinearseg(plugin);
#ifdef VIGIL_HAVE_OPENCL
  any |= vigil_register_clbilateral(plugin);
  any |= vigil_register_clfilter(plugin);
  any |= vigil_register_clhistogram(plugin);
#endif
  return any;
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, vigil, "GPU elements that watch live video",
                  plugin_init, VIGIL_VERSION, "LGPL", "Vigil", "https://gstreamer.freedesktop.org/")
