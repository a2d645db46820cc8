// SPDX-License-Identifier: LGPL-2.1-or-later
// scenetestsrc: a bin of one or two feeds (feed.h) with the properties of both.
#include "gst/elements.h"

#include "gst/scenetestsrc/feed.h"

#include <gst/base/gstbasesrc.h>

GST_DEBUG_CATEGORY(vigil_scenetestsrc_debug);
#define GST_CAT_DEFAULT vigil_scenetestsrc_debug

namespace {

using namespace vigil;
using scene::Pattern;
using scene::Settings;
using scene::Story;

enum Property {
  prop_0,
  prop_scene,
  prop_pattern,
  prop_seed,
  prop_noise,
  prop_quiet,
  prop_density,
  prop_pole,
  prop_aside,
  prop_down,
  prop_is_live,
  prop_num_buffers,
  prop_timestamp_offset
};

struct GstSceneTestSrc {
  GstBin parent;
  std::shared_ptr<Stage> *stage; // its settings are what the properties say
  GstElement *picture, *truth;   // truth is null until its pad is asked for, and then holds a reference
  gboolean live;                 // under the object's lock, like truth
};
struct GstSceneTestSrcClass {
  GstBinClass parent_class;
};

G_DEFINE_TYPE(GstSceneTestSrc, scene_test_src, GST_TYPE_BIN)

Stage &stage_of(gpointer self) {
  return **static_cast<GstSceneTestSrc *>(self)->stage;
}

GType story_type() {
  static const GEnumValue values[] = {
      {int(Story::street), "People and cars pass, leaves sway", "street"},
      {int(Story::indoor), "People walk through a hall under soft lamps", "indoor"},
      {int(Story::light_switch), "The same, and the light goes off and on every 4 s", "light-switch"},
      {int(Story::camouflage), "People dressed in the colour of the ground", "camouflage"},
      {int(Story::stopped_car), "A car drives in, stands for 15 s and leaves", "stopped-car"},
      {int(Story::foliage), "Strong wind in much foliage, few people", "foliage"},
      {int(Story::crowd), "People stroll; after 8 s all of them run away", "crowd"},
      {int(Story::empty), "Nothing but noise", "empty"},
      {int(Story::crossing), "People whose ways cross, so that they hide each other", "crossing"},
      {int(Story::groups), "People meet, stand, go on together and part", "groups"},
      {int(Story::left_bag), "Bags are put down, left and picked up again later; somebody stands by",
       "left-bag"},
      {int(Story::taken_bag), "Bags are there from the first frame on; people take them along", "taken-bag"},
      {int(Story::queue), "People stand in a queue that moves on", "queue"},
      {int(Story::traffic), "Dense traffic both ways", "traffic"},
      {int(Story::auto_exposure), "People in a hall; the camera's exposure follows them", "auto-exposure"},
      {int(Story::white_balance), "The same, and the white balance steps every 5 s", "white-balance"},
      {int(Story::covered), "The same, and the lens is covered for 3 s in every 20", "covered"},
      {int(Story::parked_car), "A car is there from the first frame on, and leaves", "parked-car"},
      {int(Story::waiting_person), "A person walks in, stands for a minute and leaves", "waiting-person"},
      {int(Story::moved), "People in a hall; the camera is turned aside after 12 s", "moved"},
      {int(Story::defocused), "The same, and it is out of focus for 12 s in every 40", "defocused"},
      {int(Story::shake), "A street, seen from a pole that sways by up to a 20th of the width", "shake"},
      {int(Story::day), "A street for 24 hours from noon on; now and then somebody passes", "day"},
      {int(Story::step_aside),
       "A person is there from the first frame on, steps aside by half of its width and waits", "step-aside"},
      {int(Story::uncovered), "The same, and somebody else stands behind that place", "uncovered"},
      {int(Story::gale), "Crowns of trees swing far in irregular gusts, people pass", "gale"},
      {int(Story::headlights), "A street at night; cars light the road before them", "headlights"},
      {int(Story::rain), "A street in rain", "rain"},
      {int(Story::snow), "A street in falling snow", "snow"},
      {int(Story::heat), "A street in hot air, which shimmers", "heat"},
      {int(Story::insects), "A street by an infra-red lamp; insects and threads of a web before the lens",
       "insects"},
      {int(Story::clock), "People in a hall; a clock is burnt into the picture", "clock"},
      {int(Story::flicker), "People in a hall whose lamps flicker before a rolling shutter", "flicker"},
      {int(Story::ir_cut), "A street; the camera turns to grey and infra-red light for 18 s in every 40",
       "ir-cut"},
      {int(Story::interlaced), "A street; odd lines are taken 1/50 s after even ones", "interlaced"},
      {int(Story::pan_tilt), "People in a hall; the camera looks at three places in turn, 6 s at each",
       "pan-tilt"},
      {int(Story::plaza), "People, bicycles and now and then a car on a square", "plaza"},
      {int(Story::flag), "A street; a flag waves at a house", "flag"},
      {int(Story::screen), "People in a hall; a screen on its wall shows one picture after another",
       "screen"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("VigilSceneStory", values);
  return type;
}

GType pattern_type() {
  static const GEnumValue values[] = {
      {int(Pattern::automatic), "As it suits the scene", "auto"},
      {int(Pattern::street), "Asphalt with markings, pavements, a brick house", "street"},
      {int(Pattern::grass), "A lawn before a wooden fence", "grass"},
      {int(Pattern::paving), "A square of slabs before the house", "paving"},
      {int(Pattern::wall), "A tiled hall with a plastered wall", "wall"},
      {int(Pattern::checkers), "Squares of 1 m", "checkers"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("VigilScenePattern", values);
  return type;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
  auto *self = static_cast<GstSceneTestSrc *>(static_cast<gpointer>(object));
  Stage &stage = stage_of(self);
  if (id == prop_is_live) {
    GST_OBJECT_LOCK(self);
    self->live = g_value_get_boolean(value);
    GstElement *truth = self->truth ? GST_ELEMENT(gst_object_ref(self->truth)) : nullptr;
    GST_OBJECT_UNLOCK(self);
    for (GstElement *feed : {self->picture, truth})
      if (feed) gst_base_src_set_live(GST_BASE_SRC(feed), self->live);
    if (truth) gst_object_unref(truth);
    return;
  }
  const std::lock_guard hold(stage.lock);
  Settings &s = stage.settings;
  switch (id) {
  case prop_scene:
    s.story = Story(g_value_get_enum(value));
    break;
  case prop_pattern:
    s.pattern = Pattern(g_value_get_enum(value));
    break;
  case prop_seed:
    s.seed = g_value_get_uint(value);
    break;
  case prop_noise:
    s.noise = g_value_get_float(value);
    break;
  case prop_quiet:
    s.quiet = g_value_get_float(value);
    break;
  case prop_density:
    s.density = g_value_get_float(value);
    break;
  case prop_pole:
    s.pole = g_value_get_float(value);
    break;
  case prop_aside:
    s.aside = g_value_get_float(value);
    break;
  case prop_down:
    s.down = g_value_get_float(value);
    break;
  case prop_num_buffers:
    stage.num_buffers = g_value_get_int(value);
    break;
  case prop_timestamp_offset:
    stage.timestamp_offset = g_value_get_int64(value);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
  auto *self = static_cast<GstSceneTestSrc *>(static_cast<gpointer>(object));
  Stage &stage = stage_of(self);
  const std::lock_guard hold(stage.lock);
  const Settings &s = stage.settings;
  switch (id) {
  case prop_scene:
    g_value_set_enum(value, int(s.story));
    break;
  case prop_pattern:
    g_value_set_enum(value, int(s.pattern));
    break;
  case prop_seed:
    g_value_set_uint(value, s.seed);
    break;
  case prop_noise:
    g_value_set_float(value, s.noise);
    break;
  case prop_quiet:
    g_value_set_float(value, s.quiet);
    break;
  case prop_density:
    g_value_set_float(value, s.density);
    break;
  case prop_pole:
    g_value_set_float(value, s.pole);
    break;
  case prop_aside:
    g_value_set_float(value, s.aside);
    break;
  case prop_down:
    g_value_set_float(value, s.down);
    break;
  case prop_is_live:
    g_value_set_boolean(value, self->live);
    break;
  case prop_num_buffers:
    g_value_set_int(value, stage.num_buffers);
    break;
  case prop_timestamp_offset:
    g_value_set_int64(value, stage.timestamp_offset);
    break;
  default:
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

GstPad *request_new_pad(GstElement *element, GstPadTemplate *templ, const gchar *, const GstCaps *) {
  auto *self = static_cast<GstSceneTestSrc *>(static_cast<gpointer>(element));
  Stage &stage = stage_of(self);
  if (GST_STATE(element) > GST_STATE_READY || GST_STATE_TARGET(element) > GST_STATE_READY) {
    GST_WARNING_OBJECT(self, "the pad truth must be requested before the element is PAUSED");
    return nullptr;
  }
  GST_OBJECT_LOCK(self);
  const bool taken = self->truth != nullptr;
  GST_OBJECT_UNLOCK(self);
  if (taken) {
    GST_WARNING_OBJECT(self, "there is only one pad truth, and it is in use");
    return nullptr;
  }
  GstElement *feed = make_feed(*self->stage, Role::truth);
  gst_base_src_set_live(GST_BASE_SRC(feed), self->live);
  gst_bin_add(GST_BIN(self), feed);
  gst_element_sync_state_with_parent(feed);
  {
    const std::lock_guard hold(stage.lock);
    stage.truth_wanted = true;
  }
  GST_OBJECT_LOCK(self);
  self->truth = GST_ELEMENT(gst_object_ref(feed));
  GST_OBJECT_UNLOCK(self);
  GstPad *inner = gst_element_get_static_pad(feed, "src");
  GstPad *pad = gst_ghost_pad_new_from_template("truth", inner, templ);
  gst_object_unref(inner);
  gst_element_add_pad(element, pad);
  return pad;
}

void release_pad(GstElement *element, GstPad *pad) {
  auto *self = static_cast<GstSceneTestSrc *>(static_cast<gpointer>(element));
  GST_OBJECT_LOCK(self);
  GstElement *feed = GST_OBJECT_PARENT(pad) == GST_OBJECT_CAST(self) ? self->truth : nullptr;
  if (feed) self->truth = nullptr;
  GST_OBJECT_UNLOCK(self);
  if (!feed) { // released before, perhaps by another thread, or another element's
    GST_WARNING_OBJECT(self, "%s:%s is no pad of this element that could be released",
                       GST_DEBUG_PAD_NAME(pad));
    return;
  }
  gst_element_set_locked_state(feed, TRUE);
  gst_element_set_state(feed, GST_STATE_NULL);
  gst_element_remove_pad(element, pad);
  if (GST_OBJECT_PARENT(feed) == GST_OBJECT_CAST(self))
    gst_bin_remove(GST_BIN(self), feed); // dispose did it already
  gst_object_unref(feed);
  Stage &stage = stage_of(self);
  const std::lock_guard hold(stage.lock);
  stage.truth_wanted = false;
}

GstStateChangeReturn change_state(GstElement *element, GstStateChange change) {
  Stage &stage = stage_of(element);
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED) { // the properties of now make the next scene
    const std::lock_guard hold(stage.lock);
    stage.scene.reset();
  }
  const GstStateChangeReturn result =
      GST_ELEMENT_CLASS(scene_test_src_parent_class)->change_state(element, change);
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) {
    const std::lock_guard hold(stage.lock);
    stage.scene.reset();
  }
  return result;
}

// A bin hands seeks to its sinks; this one has sources only.
gboolean send_event(GstElement *element, GstEvent *event) {
  auto *self = static_cast<GstSceneTestSrc *>(static_cast<gpointer>(element));
  if (gst_event_type_get_flags(GST_EVENT_TYPE(event)) & GST_EVENT_TYPE_DOWNSTREAM)
    return GST_ELEMENT_CLASS(scene_test_src_parent_class)->send_event(element, event);
  GST_OBJECT_LOCK(self);
  GstElement *truth = self->truth ? GST_ELEMENT(gst_object_ref(self->truth)) : nullptr;
  GST_OBJECT_UNLOCK(self);
  bool done = true;
  if (truth) {
    done = gst_element_send_event(truth, gst_event_ref(event));
    gst_object_unref(truth);
  }
  return gst_element_send_event(self->picture, event) && done;
}

void finalize(GObject *object) {
  delete static_cast<GstSceneTestSrc *>(static_cast<gpointer>(object))->stage;
  G_OBJECT_CLASS(scene_test_src_parent_class)->finalize(object);
}

GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(VIGIL_SCENE_CAPS(VIGIL_SCENE_FORMATS)));
GstStaticPadTemplate truth_template = GST_STATIC_PAD_TEMPLATE("truth", GST_PAD_SRC, GST_PAD_REQUEST,
                                                              GST_STATIC_CAPS(VIGIL_SCENE_CAPS("GRAY8")));

void scene_test_src_class_init(GstSceneTestSrcClass *c) {
  GObjectClass *object = G_OBJECT_CLASS(c);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  const auto ready = GParamFlags(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY);
  const auto playing = GParamFlags(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  const Settings s;
  const auto install = [&](Property id, GParamSpec *spec) {
    g_object_class_install_property(object, id, spec);
  };
  install(prop_scene,
          g_param_spec_enum("scene", "Scene", "Scene that is drawn", story_type(), int(s.story), ready));
  install(prop_pattern,
          g_param_spec_enum("pattern", "Pattern", "Material of the ground and of the wall behind it",
                            pattern_type(), int(s.pattern), ready));
  install(prop_seed, g_param_spec_uint(
                         "seed", "Seed",
                         "Another seed gives other people, textures and noise; the same one the same bytes",
                         0, G_MAXUINT32, s.seed, ready));
  install(prop_noise, g_param_spec_float("noise", "Noise",
                                         "Standard deviation of the sensor noise, in grey levels (0 to 255)",
                                         0, 100, s.noise, ready));
  install(prop_quiet,
          g_param_spec_float("quiet", "Quiet time",
                             "Seconds before the first object enters, for learning the background", 0, 3600,
                             s.quiet, ready));
  install(prop_density,
          g_param_spec_float("density", "Density", "Number of objects, relative to the scene's own; 0: none",
                             0, 10, s.density, ready));
  install(prop_pole, g_param_spec_float("pole", "Pole", "Height of the camera over the ground, in metres", 2,
                                        20, s.pole, ready));
  install(prop_aside,
          g_param_spec_float("aside", "Aside", "Degrees by which the camera is turned to the right", -30, 30,
                             s.aside, ready));
  install(prop_down, g_param_spec_float("down", "Down", "Degrees by which the camera is turned down", -1.5f,
                                        30, s.down, ready));
  install(prop_is_live, g_param_spec_boolean("is-live", "Is live",
                                             "Send each frame at its time, as a camera does", FALSE, ready));
  install(prop_num_buffers, g_param_spec_int("num-buffers", "Number of buffers",
                                             "Frames in the scene, after which it ends; -1: no end", -1,
                                             G_MAXINT, -1, playing));
  install(prop_timestamp_offset,
          g_param_spec_int64("timestamp-offset", "Timestamp offset",
                             "Nanoseconds that are added to each time stamp", 0, G_MAXINT64, 0, playing));
  gst_type_mark_as_plugin_api(story_type(), GstPluginAPIFlags(0));
  gst_type_mark_as_plugin_api(pattern_type(), GstPluginAPIFlags(0));

  GstElementClass *element = GST_ELEMENT_CLASS(c);
  element->request_new_pad = request_new_pad;
  element->release_pad = release_pad;
  element->change_state = change_state;
  element->send_event = send_event;
  gst_element_class_add_static_pad_template(element, &src_template);
  gst_element_class_add_static_pad_template(element, &truth_template);
  gst_element_class_set_static_metadata(
      element, "Scene test source", "Source/Video",
      "Draws surveillance scenes and, on the pad truth, says which pixels show moving objects, which objects "
      "these are, and what they do",
      VIGIL_AUTHORS);
}

void scene_test_src_init(GstSceneTestSrc *self) {
  self->stage = new std::shared_ptr<Stage>(std::make_shared<Stage>());
  self->picture = make_feed(*self->stage, Role::picture);
  gst_bin_add(GST_BIN(self), self->picture);
  GstPad *inner = gst_element_get_static_pad(self->picture, "src");
  GstPadTemplate *templ = gst_static_pad_template_get(&src_template);
  gst_element_add_pad(GST_ELEMENT(self), gst_ghost_pad_new_from_template("src", inner, templ));
  gst_object_unref(templ);
  gst_object_unref(inner);
}

} // namespace

GST_ELEMENT_REGISTER_DEFINE_WITH_CODE(scenetestsrc, "scenetestsrc", GST_RANK_NONE, scene_test_src_get_type(),
                                      GST_DEBUG_CATEGORY_INIT(vigil_scenetestsrc_debug, "scenetestsrc", 0,
                                                              "scenes with exact truth"))
