// SPDX-License-Identifier: LGPL-2.1-or-later
// The element tracklabel as a GObject: properties, start and stop.
#include "gst/tracklabel/element.h"

#include "gst/elements.h"
#include "gst/errors.h"

GST_DEBUG_CATEGORY(track_label_debug);

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::gst::tracklabel;

struct GstTrackLabelClass {
  GstBaseTransformClass parent_class;
};
G_DEFINE_TYPE_WITH_CODE(GstTrackLabel, gst_track_label, GST_TYPE_BASE_TRANSFORM,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, nullptr))

namespace vigil::gst::tracklabel {
GstBaseTransformClass *parent_class() {
  return GST_BASE_TRANSFORM_CLASS(gst_track_label_parent_class);
}
} // namespace vigil::gst::tracklabel

static const Properties<Settings> &properties() {
  static const Properties<Settings> all = [] {
    Properties<Settings> p;
    p.string(
        "model-location", "Model location",
        "File of examples of labels (JSON). Read when this is set, and again when the element starts. None: "
        "nothing was taught",
        &Settings::model_location, Change::playing);
    p.string(
        "codebook-location", "Codebook location",
        "Model of vigil-train codebook, by which tracks are looked at. Read when this is set, and again when "
        "the element starts. None: names go by shape and motion",
        &Settings::codebook_location, Change::playing);
    p.table(&Settings::looking, looking_table, Change::ready);
    p.choice("backend", "Backend", "With a codebook: where the pictures of tracks become vectors",
             backend_type(), &Settings::where, &Where::backend, Change::ready);
    p.table(&Settings::where, cuda_choice_table, Change::ready);
    p.table(&Settings::tuning, tuning_table, Change::live);
    return p;
  }();
  return all;
}

static bool same_files(const Settings &a, const Settings &b) {
  return a.model_location == b.model_location && a.codebook_location == b.codebook_location;
}

static void describe_use(gpointer element, const Model &model) {
  GST_INFO_OBJECT(element, "%zu names are taught, tracks are looked at by codebook '%s'",
                  model.taught->report().size(), model.codebook_id().c_str());
}

// While the element plays, the files are read on the thread that sets the property. Frames go on meanwhile.
static void take_model(GObject *object, Impl &impl) {
  Settings asked;
  Model before;
  {
    const std::lock_guard lock(impl.mutex);
    if (!impl.started) return; // they are read at the start
    asked = impl.settings;
    before = impl.model;
  }
  try {
    Model model = load_model(GST_ELEMENT(object), impl, asked, before);
    const std::lock_guard lock(impl.mutex);
    if (!impl.started || !same_files(impl.settings, asked)) return;
    describe_use(object, model);
    impl.model = std::move(model);
  } catch (const Error &e) {
    post_warning(GST_ELEMENT(object), e); // what was in use before stays
  }
}

static guint place_id() {
  return properties().stats_id() + 1;
}

static GstStructure *describe(const Place &p) {
  GstStructure *out =
      gst_structure_new("place", "width", G_TYPE_DOUBLE, p.width, "height", G_TYPE_DOUBLE, p.height, nullptr);
  GValue numbers = G_VALUE_INIT;
  g_value_init(&numbers, GST_TYPE_ARRAY);
  for (const double n : p.scale.numbers()) {
    GValue v = G_VALUE_INIT;
    g_value_init(&v, G_TYPE_DOUBLE);
    g_value_set_double(&v, n);
    gst_value_array_append_and_take_value(&numbers, &v);
  }
  gst_structure_take_value(out, "numbers", &numbers);
  return out;
}

// Nothing of a structure that is none of those above.
static std::optional<Place> read_place(const GstStructure *s) {
  Place out;
  const GValue *numbers = s ? gst_structure_get_value(s, "numbers") : nullptr;
  if (!numbers || !GST_VALUE_HOLDS_ARRAY(numbers) || !gst_structure_get_double(s, "width", &out.width) ||
      !gst_structure_get_double(s, "height", &out.height))
    return std::nullopt;
  std::vector<double> read;
  for (guint i = 0; i < gst_value_array_get_size(numbers); i++) {
    const GValue *v = gst_value_array_get_value(numbers, i);
    if (!G_VALUE_HOLDS_DOUBLE(v)) return std::nullopt;
    read.push_back(g_value_get_double(v));
  }
  const auto scale = label::PlaceScale::of(read);
  if (!scale) return std::nullopt;
  out.scale = *scale;
  return out;
}

static void set_place(GObject *object, const GValue *value) {
  const auto *s = static_cast<const GstStructure *>(g_value_get_boxed(value));
  const auto place = read_place(s);
  if (s && !place)
    GST_WARNING_OBJECT(object, "the value of 'place' is no place of this version, and is not used");
  Impl &impl = impl_of(object);
  const std::lock_guard lock(impl.mutex);
  impl.remembered = place;
}

static void name_track(GObject *object, guint64 track, const gchar *label, gdouble score) {
  Impl &impl = impl_of(object);
  const std::lock_guard lock(impl.mutex);
  constexpr std::size_t most = 256; // while no frames come
  if (impl.answers.size() < most) impl.answers.push_back({track, label ? label : "", score});
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  if (id == place_id()) return set_place(object, value);
  {
    const std::lock_guard lock(impl.mutex);
    if (!properties().set(impl.settings, id, value)) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
  if (id == properties().id_of("model-location") || id == properties().id_of("codebook-location"))
    take_model(object, impl);
}

// A label may have any characters, names of fields may not: names and numbers are two arrays.
static GstStructure *describe(const Stats &s) {
  GstStructure *out =
      gst_structure_new("stats", "frames", G_TYPE_UINT64, s.frames, "tracks", G_TYPE_UINT64, s.current,
                        "decided", G_TYPE_UINT64, s.decided, "changed", G_TYPE_UINT64, s.changed, "ended",
                        G_TYPE_UINT64, s.ended, "pictures", G_TYPE_UINT64, s.pictures, nullptr);
  GValue labels = G_VALUE_INIT, counts = G_VALUE_INIT;
  g_value_init(&labels, GST_TYPE_ARRAY);
  g_value_init(&counts, GST_TYPE_ARRAY);
  for (const auto &[label, count] : s.ended_as) {
    GValue v = G_VALUE_INIT;
    g_value_init(&v, G_TYPE_STRING);
    g_value_set_string(&v, label.c_str());
    gst_value_array_append_and_take_value(&labels, &v);
    v = G_VALUE_INIT;
    g_value_init(&v, G_TYPE_UINT64);
    g_value_set_uint64(&v, count);
    gst_value_array_append_and_take_value(&counts, &v);
  }
  gst_structure_take_value(out, "labels", &labels);
  gst_structure_take_value(out, "counts", &counts);
  return out;
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  Impl &impl = impl_of(object);
  const std::lock_guard lock(impl.mutex);
  if (id == properties().stats_id())
    g_value_take_boxed(value, describe(impl.stats));
  else if (id == place_id())
    g_value_take_boxed(value, describe(impl.remembered ? *impl.remembered : impl.learnt));
  else if (!properties().get(impl.settings, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
}

static gboolean start(GstBaseTransform *trans) {
  return guard(trans, FALSE, [&] {
    Impl &impl = impl_of(trans);
    Settings asked;
    {
      const std::lock_guard lock(impl.mutex);
      asked = impl.settings;
      impl.stats = {};
      impl.started = true; // what is set from here on is read where it is set
    }
    Model model = load_model(GST_ELEMENT(trans), impl, asked, {});
    describe_use(trans, model);
    {
      const std::lock_guard lock(impl.mutex);
      if (same_files(impl.settings, asked)) impl.model = std::move(model);
    }
    impl.stream.subjects.clear();
    impl.stream.place = {};
    return TRUE;
  });
}

static void set_context(GstElement *element, GstContext *context) {
  Impl &impl = impl_of(element);
  int id = -1;
  {
    const std::lock_guard lock(impl.mutex);
    id = impl.settings.where.device_id;
  }
  impl.cuda.offered(element, context, id);
  GST_ELEMENT_CLASS(parent_class())->set_context(element, context);
}

static gboolean stop(GstBaseTransform *trans) {
  Impl &impl = impl_of(trans);
  Model before; // goes when the lock is gone
  {
    const std::lock_guard lock(impl.mutex);
    impl.started = false;
    before = std::exchange(impl.model, {});
  }
  before = impl.stream.in_use = {};
  impl.cuda.close(); // once nothing is left there
  return TRUE;
}

static void finalize(GObject *object) {
  delete reinterpret_cast<GstTrackLabel *>(object)->impl;
  G_OBJECT_CLASS(gst_track_label_parent_class)->finalize(object);
}

static void gst_track_label_init(GstTrackLabel *self) {
  self->impl = new Impl;
  gst_base_transform_set_in_place(GST_BASE_TRANSFORM(self), TRUE);
}

static void gst_track_label_class_init(GstTrackLabelClass *klass) {
  GST_DEBUG_CATEGORY_INIT(track_label_debug, "tracklabel", 0, "Labels of tracks");
  auto *object = G_OBJECT_CLASS(klass);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  properties().install_with_stats(
      object, "Structure: frames; tracks now; decided, those that got a label; changed labels; ended tracks; "
              "pictures that were taken of tracks; arrays labels and counts, as what the ended ones ended");
  g_object_class_install_property(
      object, place_id(),
      g_param_spec_boxed(
          "place", "Place",
          "Usual sizes and speeds of tracks at each height of the picture, as learnt so far. "
          "Set before the element starts: it goes on from there if pictures have the same size",
          GST_TYPE_STRUCTURE,
          static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)));
  g_signal_new_class_handler("name-track", G_TYPE_FROM_CLASS(klass),
                             static_cast<GSignalFlags>(G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION),
                             G_CALLBACK(name_track), nullptr, nullptr, nullptr, G_TYPE_NONE, 3, G_TYPE_UINT64,
                             G_TYPE_STRING, G_TYPE_DOUBLE);

  auto *element = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(
      element, "Labels of tracks", "Filter/Analyzer/Video/Hardware",
      "Names tracks by their shape and motion: person, vehicle or other, or labels that were taught by "
      "examples; with a codebook by their looks, too",
      VIGIL_AUTHORS);
  element->set_context = set_context;
  auto *transform = GST_BASE_TRANSFORM_CLASS(klass);
  transform->start = start;
  transform->stop = stop;
  install_streaming(transform);
}

GST_ELEMENT_REGISTER_DEFINE(tracklabel, "tracklabel", GST_RANK_NONE, gst_track_label_get_type())
