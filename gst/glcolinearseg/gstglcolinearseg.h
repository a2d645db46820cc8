// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

// Registers the element glcolinearseg.
gboolean vigil_register_glcolinearseg(GstPlugin *);
