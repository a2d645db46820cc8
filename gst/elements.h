// SPDX-License-Identifier: LGPL-2.1-or-later
// The elements that the plugin registers, and what all of them say about their origin.
#pragma once

#include <gst/gst.h>

#define VIGIL_AUTHORS "Vigil maintainers <maintainers@vigil.example>"
// GStreamer's own word for a plugin whose project has no address yet: MAINTAINERS.md.
#define VIGIL_ORIGIN "Unknown package origin"

GST_ELEMENT_REGISTER_DECLARE(boxrules)
GST_ELEMENT_REGISTER_DECLARE(boxtrack)
GST_ELEMENT_REGISTER_DECLARE(clbilateral)
GST_ELEMENT_REGISTER_DECLARE(clfilter)
GST_ELEMENT_REGISTER_DECLARE(clhistogram)
GST_ELEMENT_REGISTER_DECLARE(cljointbilateral)
GST_ELEMENT_REGISTER_DECLARE(cudamog)
GST_ELEMENT_REGISTER_DECLARE(glcolinearseg)
GST_ELEMENT_REGISTER_DECLARE(gpufisher)
GST_ELEMENT_REGISTER_DECLARE(onvifmeta)
GST_ELEMENT_REGISTER_DECLARE(scenetestsrc)
GST_ELEMENT_REGISTER_DECLARE(tracklabel)
