// SPDX-License-Identifier: LGPL-2.1-or-later
// The elements that the plugin registers.
#pragma once

#include <gst/gst.h>

gboolean vigil_register_boxrules(GstPlugin *);
gboolean vigil_register_boxtrack(GstPlugin *);
gboolean vigil_register_clbilateral(GstPlugin *);
gboolean vigil_register_clfilter(GstPlugin *);
gboolean vigil_register_clhistogram(GstPlugin *);
gboolean vigil_register_cudamog(GstPlugin *);
gboolean vigil_register_glcolinearseg(GstPlugin *);
gboolean vigil_register_gpufisher(GstPlugin *);
gboolean vigil_register_scenetestsrc(GstPlugin *);
