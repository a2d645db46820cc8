// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

// Registers the element clhistogram.
gboolean vigil_register_clhistogram(GstPlugin *);
