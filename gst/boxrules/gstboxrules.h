// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

gboolean vigil_register_boxrules(GstPlugin *);
