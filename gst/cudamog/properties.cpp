// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/properties.h"

#include "gst/metadata/blob_mode.h"
#include "gst/transform/compute_selector.h"

namespace vigil::gst::cudamog {
namespace {

GType method_type() {
  static const GEnumValue values[] = {
      {int(mog::Method::mog), "A fixed number of Gaussians, on luma", "mog"},
      {int(mog::Method::zivkovic), "As many Gaussians as a pixel needs (Zivkovic)", "zivkovic"},
      {},
  };
  static const GType type = enum_type("GstCudaMogMethod", values);
  return type;
}

GType precision_type() {
  static const GEnumValue values[] = {
      {int(PrecisionChoice::single), "Single precision", "single"},
      {int(PrecisionChoice::double_), "Double precision", "double"},
      {int(PrecisionChoice::compact), "16 bits or fewer a stored value: less memory, faster", "compact"},
      {int(PrecisionChoice::automatic),
       "compact; single with method mog, for colour in R G B, and where the model learns too slowly", "auto"},
      {},
  };
  static const GType type = enum_type("GstCudaMogPrecision", values);
  return type;
}

GType exposure_type() {
  static const GEnumValue values[] = {
      {int(ExposureMode::automatic), "Find and undo the camera's exposure and white balance", "auto"},
      {int(ExposureMode::off), "Give the model the frames as they are", "off"},
      {},
  };
  static const GType type = enum_type("GstCudaMogExposure", values);
  return type;
}

GType stabilize_type() {
  static const GEnumValue values[] = {
      {int(StabilizeMode::automatic), "Find by how much the camera sways, and compare through that shift",
       "auto"},
      {int(StabilizeMode::off), "Compare each pixel with the same pixel of the model", "off"},
      {},
  };
  static const GType type = enum_type("GstCudaMogStabilize", values);
  return type;
}

GType output_type() {
  static const GEnumValue values[] = {
      {int(Output::mask), "GRAY8: 0 background, shadow-value, 255 foreground", "mask"},
      {int(Output::foreground), "The frame, black where it is background", "foreground"},
      {int(Output::background), "The most probable background", "background"},
      {int(Output::overlay), "The frame, foreground tinted red, shadows blue, blobs in green boxes",
       "overlay"},
      {int(Output::passthrough), "The frame as it is; results as metadata and messages only", "passthrough"},
      {},
  };
  static const GType type = enum_type("GstCudaMogOutput", values);
  return type;
}

Properties<Settings> make_properties() {
  Properties<Settings> p;
  p.choice("method", "Method", "Algorithm; a change starts a new model", method_type(), &Settings::method,
           Change::playing);
  p.choice("precision", "Precision",
           "Storage and arithmetic of the model; stats has the one in use. A change keeps what was learnt",
           precision_type(), &Settings::precision, Change::playing);
  p.table(&Settings::shape, shape_table, Change::playing);
  p.choice("output", "Output",
           "The picture that leaves the source pad. Metadata and messages are the same with all values",
           output_type(), &Settings::output, Change::playing);
  p.choice("exposure", "Exposure",
           "Whether changes of exposure and white balance are undone before the model gets a frame: a gain "
           "and an offset for each channel, found by comparison with the background",
           exposure_type(), &Settings::exposure, Change::live);
  p.choice("stabilize", "Stabilize",
           "Whether the sway of the camera is found in each frame, up to a tenth of the picture's longest "
           "side, and followed. Masks and boxes stay in the coordinates of the frame",
           stabilize_type(), &Settings::stabilize, Change::live);
  p.table(&Settings::mog, mog::params_table, Change::live);
  p.table(&Settings::cleanup, cleanup::params_table, Change::live);
  p.table(&Settings::tuning, tuning_table, Change::live);
  p.choice("blobs", "Blobs", blob_mode_blurb, blob_mode_type(), &Settings::blobs, Change::playing);
  p.table(&Settings::motion, motion_table, Change::live);
  p.table(&Settings::reports, reports_table, Change::live);
  p.string("mask-location", "Mask location",
           "PNG image of the frames' size; where it is black, the frames are ignored",
           &Settings::mask_location, Change::playing);
  p.string("model-location", "Model location",
           "File that the model is loaded from at the start, if it is there, and saved to at the end of the "
           "stream and at the stop",
           &Settings::model_location, Change::ready);
  p.table(&Settings::keeping, keeping_table, Change::playing);
  p.choice("backend", "Backend", "Where the work is done", compute_type(), &Settings::backend, Change::ready);
  p.table(&Settings::device, device_options_table, Change::ready);
  p.table(&Settings::flow, flow_table, Change::playing);
  p.table(&Settings::diagnostics, diagnostics_table, Change::playing);
  return p;
}

} // namespace

const Properties<Settings> &properties() {
  static const Properties<Settings> p = make_properties();
  return p;
}

} // namespace vigil::gst::cudamog
