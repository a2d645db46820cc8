// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/glcolinearseg/settings.h"

namespace vigil::gst::glcolinearseg {
namespace {

GType output_type() {
  static const GEnumValue values[] = {
      {int(Output::mask), "White where it is foreground, else black", "mask"},
      {int(Output::overlay), "The frame, foreground tinted red, blobs in green boxes", "overlay"},
      {int(Output::cutout), "The frame, transparent where it is background (alpha is not premultiplied)",
       "cutout"},
      {int(Output::background), "The background image", "background"},
      {int(Output::passthrough), "The frame as it is, in RGBA; results as metadata and messages only",
       "passthrough"},
      {},
  };
  static const GType type = enum_type("GstGLColinearSegOutput", values);
  return type;
}

GType preset_type() {
  static const GEnumValue values[] = {
      {int(Preset::camera), "Defaults: all from the noise that was measured", "camera"},
      {int(Preset::lab), "The paper's values, for a camera of little noise in an evenly lit room", "lab"},
      {},
  };
  static const GType type = enum_type("GstGLColinearSegPreset", values);
  return type;
}

GType exposure_type() {
  static const GEnumValue values[] = {
      {int(Exposure::automatic), "Find and undo them", "auto"},
      {int(Exposure::off), "Segment the frames as they are", "off"},
      {},
  };
  static const GType type = enum_type("GstGLColinearSegExposure", values);
  return type;
}

GType path_type() {
  using colinearseg::Path;
  static const GEnumValue values[] = {
      {int(Path::automatic), "Compute shaders where a GPU has them, else fragment shaders", "auto"},
      {int(Path::compute), "Compute shaders; an error below OpenGL 4.3 and OpenGL ES 3.1", "compute"},
      {int(Path::fragment), "Fragment shaders", "fragment"},
      {},
  };
  static const GType type = enum_type("GstGLColinearSegShaders", values);
  return type;
}

GType choice_type() {
  static const GEnumValue values[] = {
      {int(GlChoice::automatic),
       "CUDA for frames in CUDA memory; for all others OpenGL where that runs on a GPU, else the CPU",
       "auto"},
      {int(GlChoice::opengl),
       "OpenGL; frames in CUDA memory are copied into textures, which costs more than the work", "opengl"},
      {int(GlChoice::cuda), "CUDA; an error where no device is", "cuda"},
      {int(GlChoice::cpu), "The CPU; no OpenGL is touched", "cpu"},
      {},
  };
  static const GType type = enum_type("GstGLColinearSegBackend", values);
  return type;
}

Properties<Settings> make_properties() {
  Properties<Settings> p;
  p.choice("output", "Output", "The picture that leaves the source pad", output_type(), &Settings::output,
           Change::playing);
  p.choice("preset", "Preset", "Setting it sets the parameters of the segmentation, except for the seed",
           preset_type(), &Settings::preset, Change::playing);
  p.choice("exposure", "Exposure",
           "Whether changes of exposure and white balance since the background was learnt are undone before "
           "the segmentation: a gain and an offset for each channel",
           exposure_type(), &Settings::exposure, Change::live);
  p.table(&Settings::params, colinearseg::params_table, Change::live);
  p.table(&Settings::learning, learning_table, Change::playing);
  p.string("background-location", "Background location",
           "PNG image of the frames' size that is the background; none: it is learnt",
           &Settings::background_location, Change::playing);
  p.table(&Settings::tuning, tuning_table, Change::live);
  p.choice("blobs", "Blobs", blob_mode_blurb, blob_mode_type(), &Settings::blobs, Change::playing);
  p.table(&Settings::motion, motion_table, Change::live);
  p.table(&Settings::reports, reports_table, Change::live);
  p.table(&Settings::flow, async_depth_table, Change::playing);
  p.choice("backend", "Backend", "Where the work is done; all give the same masks of RGBA frames",
           choice_type(), &Settings::backend, Change::ready);
  p.table(&Settings::cuda, cuda_choice_table, Change::ready);
  p.choice("shaders", "Shaders", "Kind of shaders that do the work in OpenGL; both give the same masks",
           path_type(), &Settings::path, Change::ready);
  return p;
}

} // namespace

const Properties<Settings> &properties() {
  static const Properties<Settings> p = make_properties();
  return p;
}

} // namespace vigil::gst::glcolinearseg
