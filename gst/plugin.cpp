// SPDX-License-Identifier: LGPL-2.1-or-later
// The plugin registers its elements and touches no device: gst-inspect works on any machine.
#include "gst/dynload/dynload.h"
#include "gst/elements.h"
#include "vigil-config.h"

#include <gst/gst.h>

static gboolean plugin_init(GstPlugin *plugin) {
  vigil::gst::load_optional_libraries();
  gboolean any = GST_ELEMENT_REGISTER(cudamog, plugin);
  any |= GST_ELEMENT_REGISTER(boxrules, plugin);
  any |= GST_ELEMENT_REGISTER(boxtrack, plugin);
  any |= GST_ELEMENT_REGISTER(tracklabel, plugin);
  any |= GST_ELEMENT_REGISTER(onvifmeta, plugin);
  any |= GST_ELEMENT_REGISTER(gpufisher, plugin);
  any |= GST_ELEMENT_REGISTER(scenetestsrc, plugin);
  any |= GST_ELEMENT_REGISTER(glcolinearseg, plugin);
#ifdef VIGIL_HAVE_OPENCL
  any |= GST_ELEMENT_REGISTER(clbilateral, plugin);
  any |= GST_ELEMENT_REGISTER(clfilter, plugin);
  any |= GST_ELEMENT_REGISTER(clhistogram, plugin);
  any |= GST_ELEMENT_REGISTER(cljointbilateral, plugin);
#endif
  return any;
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, vigil, "GPU elements that watch live video",
                  plugin_init, VIGIL_VERSION, "LGPL", "Vigil", VIGIL_ORIGIN)
