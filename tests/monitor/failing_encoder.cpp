// SPDX-License-Identifier: LGPL-2.1-or-later
// A plugin with an encoder that is tried before x264enc and fails in the middle: after as many pictures as
// VIGIL_TEST_ENCODER_FAILS says, each time.
#include "common/guarded.h"

#include <atomic>
#include <cstdlib>
#include <gst/gst.h>

namespace {

int pictures_before_failure() {
  const char *set = std::getenv("VIGIL_TEST_ENCODER_FAILS");
  return set ? std::atoi(set) : 0;
}

// As its user data a count of pictures.
GstPadProbeReturn come(GstPad *pad, GstPadProbeInfo *, gpointer count) {
  if (++*static_cast<std::atomic<int> *>(count) <= pictures_before_failure()) return GST_PAD_PROBE_OK;
  GST_ELEMENT_ERROR(GST_PAD_PARENT(pad), STREAM, ENCODE, ("the test's encoder fails"), (nullptr));
  return GST_PAD_PROBE_DROP;
}

void forget(gpointer count) {
  delete static_cast<std::atomic<int> *>(count);
}

void class_init(gpointer klass, gpointer) {
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Failing encoder", "Codec/Encoder/Video",
                                        "Fails in the middle", "Vigil's tests");
}

void instance_init(GTypeInstance *instance, gpointer) {
  GstElement *encode = gst_element_factory_make("x264enc", nullptr);
  if (!encode) return;
  gst_util_set_object_arg(G_OBJECT(encode), "tune", "zerolatency");
  gst_util_set_object_arg(G_OBJECT(encode), "speed-preset", "ultrafast");
  gst_util_set_object_arg(G_OBJECT(encode), "key-int-max", "15");
  gst_bin_add(reinterpret_cast<GstBin *>(instance), encode);
  for (const char *name : {"sink", "src"}) {
    GstPad *pad = gst_element_get_static_pad(encode, name);
    gst_element_add_pad(reinterpret_cast<GstElement *>(instance), gst_ghost_pad_new(name, pad));
    gst_object_unref(pad);
  }
  GstPad *in = gst_element_get_static_pad(reinterpret_cast<GstElement *>(instance), "sink");
  gst_pad_add_probe(in, GST_PAD_PROBE_TYPE_BUFFER, vigil::guarded<come, GST_PAD_PROBE_DROP>,
                    new std::atomic<int>(0), vigil::guarded<forget>);
  gst_object_unref(in);
}

gboolean init(GstPlugin *plugin) {
  if (pictures_before_failure() == 0) return FALSE;
  GTypeInfo info{};
  info.class_size = sizeof(GstBinClass);
  info.class_init = class_init;
  info.instance_size = sizeof(GstBin);
  info.instance_init = instance_init;
  const GType type =
      g_type_register_static(GST_TYPE_BIN, "FailingEncoder", &info, static_cast<GTypeFlags>(0));
  return gst_element_register(plugin, "vah264enc", GST_RANK_NONE, type);
}

} // namespace

#define PACKAGE "vigil-tests"
#pragma GCC visibility push(default)
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, failingencoder, "An encoder that fails", init, "1",
                  "LGPL", PACKAGE, "https://example.org/")
