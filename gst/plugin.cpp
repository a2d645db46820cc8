// SPDX-License-Identifier: LGPL-2.1-or-later
// The plugin registers its elements and touches no device: gst-inspect works on any machine.
#include "gst/cudamog/gstcudamog.h"
#include "gst/scenetestsrc/scenetestsrc.h"
#include "vigil-config.h"

#include <gst/gst.h>

static gboolean plugin_init(GstPlugin *plugin) {
  const gboolean cudamog = vigil_register_cudamog(plugin);
  return vigil_register_scenetestsrc(plugin) || cudamog;
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, vigil, "GPU elements that watch live video",
                  plugin_init, VIGIL_VERSION, "LGPL", "Vigil", "https://gstreamer.freedesktop.org/")
