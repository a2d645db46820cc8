// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

// Registers the element clfilter.
gboolean vigil_register_clfilter(GstPlugin *);
