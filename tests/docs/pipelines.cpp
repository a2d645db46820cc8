// SPDX-License-Identifier: LGPL-2.1-or-later
// Builds the pipeline that its arguments describe, as gst-launch-1.0 does, and plays nothing.
// Status: 0 it can be built, 3 an element is not installed, 1 anything else is wrong; why goes to stderr.
#include <cstdio>
#include <gst/gst.h>

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launchv(const_cast<const gchar **>(argv + 1), &error);
  const bool missing = g_error_matches(error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT);
  if (error) std::fprintf(stderr, "%s\n", error->message);
  const int status = !error && pipeline ? 0 : missing ? 3 : 1;
  g_clear_error(&error);
  if (pipeline) gst_object_unref(gst_object_ref_sink(pipeline));
  return status;
}
