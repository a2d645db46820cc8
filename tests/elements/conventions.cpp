// SPDX-License-Identifier: LGPL-2.1-or-later
// What GStreamer's tools, registry and applications expect of every element, for all that the plugin has: how
// it describes itself, which memory it prefers, what its properties say of themselves.
#include "tests/elements/hostile.h"
#include "tests/elements/plugin.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace vigil;
using namespace vigil::test;

namespace {

// fn(factory, an element of it) for each element of the plugin.
void on_each(const std::function<void(GstElementFactory *, GstElement *)> &fn) {
  const std::vector<GstElementFactory *> all = factories();
  fail_if(all.empty(), "the registry knows no elements of the plugin vigil");
  for (GstElementFactory *factory : all) {
    GstElement *e = gst_element_factory_create(factory, nullptr);
    fail_unless(e, "%s cannot be made", GST_OBJECT_NAME(factory));
    gst_object_ref_sink(e);
    fn(factory, e);
    gst_object_unref(e);
    gst_object_unref(factory);
  }
}

std::vector<std::string> parts_of(const char *text, const char *delimiter) {
  gchar **parts = g_strsplit(text, delimiter, -1);
  std::vector<std::string> all(parts, parts + g_strv_length(parts));
  g_strfreev(parts);
  return all;
}

// The words of GStreamer's "Element Klass definition" that fit elements such as ours.
const std::set<std::string> kinds = {"Source", "Filter", "Effect", "Analyzer"};
const std::set<std::string> klass_words = {"Source", "Filter",   "Effect",  "Analyzer",
                                           "Video",  "Metadata", "Hardware"};

bool has_property(GstElement *e, const char *name) {
  return g_object_class_find_property(G_OBJECT_GET_CLASS(e), name) != nullptr;
}
// Whether it can use a GPU: then its users can choose where it works.
bool may_use_a_gpu(GstElement *e) {
  return has_property(e, "backend") || has_property(e, "device") || has_property(e, "cuda-device-id");
}

// Rank of the memory of one structure of caps, in the order in which an element that works on a GPU prefers
// them: frames stay where they are.
int rank_of(const GstCapsFeatures *features) {
  if (gst_caps_features_contains(features, "memory:GLMemory")) return 0;
  if (gst_caps_features_contains(features, "memory:CUDAMemory")) return 0;
  return 1;
}

bool has_memory(GstElementFactory *factory, const char *feature) {
  for (const GList *l = gst_element_factory_get_static_pad_templates(factory); l; l = l->next) {
    GstCaps *caps = gst_static_pad_template_get_caps(static_cast<GstStaticPadTemplate *>(l->data));
    bool found = false;
    for (guint i = 0; !gst_caps_is_any(caps) && i < gst_caps_get_size(caps); i++)
      found = found || gst_caps_features_contains(gst_caps_get_features(caps, i), feature);
    gst_caps_unref(caps);
    if (found) return true;
  }
  return false;
}

// Takes effect only when the element starts: devices, what is made once for each start, files that are read
// then.
const std::set<std::string> fixed_while_playing = {"backend",
                                                   "cuda-device-id",
                                                   "device",
                                                   "guide",
                                                   "shaders",
                                                   "threads",
                                                   "tune",
                                                   "cudamog model-location",
                                                   "scenetestsrc aside",
                                                   "scenetestsrc density",
                                                   "scenetestsrc down",
                                                   "scenetestsrc is-live",
                                                   "scenetestsrc noise",
                                                   "scenetestsrc pattern",
                                                   "scenetestsrc pole",
                                                   "scenetestsrc quiet",
                                                   "scenetestsrc scene",
                                                   "scenetestsrc seed",
                                                   "tracklabel place",
                                                   "tracklabel background-weight"};

} // namespace

GST_START_TEST(elements_describe_themselves) {
  std::set<std::string> long_names;
  on_each([&](GstElementFactory *factory, GstElement *e) {
    const std::string name = GST_OBJECT_NAME(factory);
    const auto field = [&](const char *key) -> std::string {
      const gchar *value = gst_element_factory_get_metadata(factory, key);
      fail_unless(value && *value, "%s has no %s", name.c_str(), key);
      return value;
    };
    int kinds_named = 0;
    bool hardware = false;
    const std::string klass = field(GST_ELEMENT_METADATA_KLASS);
    for (const std::string &word : parts_of(klass.c_str(), "/")) {
      fail_unless(klass_words.contains(word), "%s: klass %s: %s is no word of GStreamer's", name.c_str(),
                  klass.c_str(), word.c_str());
      kinds_named += kinds.contains(word);
      hardware = hardware || word == "Hardware";
    }
    fail_unless(kinds_named, "%s: klass %s does not say what it does", name.c_str(), klass.c_str());
    fail_unless(hardware == may_use_a_gpu(e), "%s: klass %s, but it %s a GPU", name.c_str(), klass.c_str(),
                may_use_a_gpu(e) ? "can use" : "cannot use");
    fail_unless(gst_element_factory_list_is_type(factory, GST_ELEMENT_FACTORY_TYPE_HARDWARE) == hardware);

    const std::string long_name = field(GST_ELEMENT_METADATA_LONGNAME);
    fail_unless(long_names.insert(long_name).second, "%s: another element is called %s, too", name.c_str(),
                long_name.c_str());
    fail_unless(g_ascii_isupper(long_name.front()) && long_name.back() != '.', "%s: long name %s",
                name.c_str(), long_name.c_str());
    const std::string description = field(GST_ELEMENT_METADATA_DESCRIPTION);
    fail_unless(g_ascii_isupper(description.front()) && description.back() != '.' &&
                    description.size() > long_name.size(),
                "%s: description %s", name.c_str(), description.c_str());
    for (const std::string &author : parts_of(field(GST_ELEMENT_METADATA_AUTHOR).c_str(), ", "))
      fail_unless(g_regex_match_simple("^[^<>@]+ <[^<>@ ]+@[^<>@ ]+>$", author.c_str(), {}, {}),
                  "%s: author %s is not of the form Name <mail>", name.c_str(), author.c_str());
    fail_unless(_gst_debug_get_category(name.c_str()), "%s has no debug category of its name", name.c_str());
    // What is not registered for autoplugging says so.
    fail_unless_equals_int(int(gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(factory))), GST_RANK_NONE);
    // GStreamer's names of types are the process's: another plugin's must not be the same.
    const std::string type = G_OBJECT_TYPE_NAME(e);
    fail_unless(type.starts_with("Gst") || type.starts_with("Vigil"), "%s: type %s", name.c_str(),
                type.c_str());
  });
  GstPlugin *plugin = gst_registry_find_plugin(gst_registry_get(), "vigil");
  fail_unless(plugin);
  const std::string origin = gst_plugin_get_origin(plugin);
  // Until the project has an address, the origin is the text that GStreamer itself uses for an unknown one.
  fail_unless(origin == "Unknown package origin" ||
                  (origin.find("://") != origin.npos && origin.find("gstreamer") == origin.npos),
              "the plugin's origin is %s", origin.c_str());
  fail_unless_equals_string(gst_plugin_get_license(plugin), "LGPL");
  gst_object_unref(plugin);
}
GST_END_TEST

// Negotiation takes what stands first, so a GPU's memory stands before system memory.
GST_START_TEST(templates_name_the_memory_of_gpus_first) {
  on_each([](GstElementFactory *factory, GstElement *) {
    for (const GList *l = gst_element_factory_get_static_pad_templates(factory); l; l = l->next) {
      auto *of = static_cast<GstStaticPadTemplate *>(l->data);
      GstCaps *caps = gst_static_pad_template_get_caps(of);
      int last = 0;
      for (guint i = 0; !gst_caps_is_any(caps) && i < gst_caps_get_size(caps); i++) {
        const int rank = rank_of(gst_caps_get_features(caps, i));
        fail_unless(rank >= last, "%s, pad %s: system memory stands before a GPU's: %s",
                    GST_OBJECT_NAME(factory), of->name_template, gst_caps_to_string(caps));
        last = rank;
      }
      gst_caps_unref(caps);
    }
  });
}
GST_END_TEST

// A template that names a limit of sides names the one that the elements keep (gst/frames/formats.h).
GST_START_TEST(templates_end_at_the_largest_side) {
  std::set<std::string> limited;
  on_each([&](GstElementFactory *factory, GstElement *) {
    for (const GList *l = gst_element_factory_get_static_pad_templates(factory); l; l = l->next) {
      GstCaps *caps = gst_static_pad_template_get_caps(static_cast<GstStaticPadTemplate *>(l->data));
      for (guint i = 0; !gst_caps_is_any(caps) && i < gst_caps_get_size(caps); i++)
        for (const char *side : {"width", "height"}) {
          const GValue *v = gst_structure_get_value(gst_caps_get_structure(caps, i), side);
          if (!v || !GST_VALUE_HOLDS_INT_RANGE(v) || gst_value_get_int_range_max(v) == G_MAXINT) continue;
          fail_unless_equals_int(gst_value_get_int_range_max(v), 32767);
          fail_unless_equals_int(gst_value_get_int_range_min(v), 1);
          limited.insert(GST_OBJECT_NAME(factory));
        }
      gst_caps_unref(caps);
    }
  });
  fail_unless(limited.contains("scenetestsrc"), "scenetestsrc's template has no limit");
  fail_unless(limited.contains("glcolinearseg"), "glcolinearseg's template has no limit");
}
GST_END_TEST

GST_START_TEST(who_uses_cuda_lets_its_user_choose_the_device) {
  on_each([](GstElementFactory *factory, GstElement *e) {
    bool cuda = has_memory(factory, "memory:CUDAMemory");
    if (GParamSpec *backend = g_object_class_find_property(G_OBJECT_GET_CLASS(e), "backend"))
      cuda = cuda || g_enum_get_value_by_nick(G_PARAM_SPEC_ENUM(backend)->enum_class, "cuda");
    fail_if(cuda && !has_property(e, "cuda-device-id"), "%s can use CUDA, but has no cuda-device-id",
            GST_OBJECT_NAME(factory));
    GParamSpec *id = g_object_class_find_property(G_OBJECT_GET_CLASS(e), "cuda-device-id");
    if (!id) return;
    fail_unless(G_IS_PARAM_SPEC_INT(id));
    fail_unless_equals_int(G_PARAM_SPEC_INT(id)->minimum, -1); // as with GStreamer's own: the neighbours'
    fail_unless_equals_int(G_PARAM_SPEC_INT(id)->default_value, -1);
  });
}
GST_END_TEST

GST_START_TEST(properties_say_what_they_are_and_when_they_may_change) {
  on_each([](GstElementFactory *factory, GstElement *e) {
    const std::string element = GST_OBJECT_NAME(factory);
    const std::vector<GParamSpec *> own = OwnProperties(e).list;
    fail_if(own.empty(), "%s has no properties", element.c_str());
    for (GParamSpec *p : own) {
      const std::string what = element + " " + p->name;
      const std::string nick = g_param_spec_get_nick(p), blurb = g_param_spec_get_blurb(p);
      fail_if(nick == p->name || nick.empty(), "%s has no nick", what.c_str());
      fail_if(blurb == nick || blurb.size() < 10 || blurb.back() == '.', "%s: %s", what.c_str(),
              blurb.c_str());
      const bool fixed = fixed_while_playing.contains(p->name) || fixed_while_playing.contains(what);
      const int wanted = fixed ? GST_PARAM_MUTABLE_READY : GST_PARAM_MUTABLE_PLAYING;
      const int all = GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PAUSED | GST_PARAM_MUTABLE_PLAYING;
      fail_unless((int(p->flags) & all) == wanted, "%s does not say that it %s change while it plays",
                  what.c_str(), fixed ? "cannot" : "may");
      fail_if(fixed && p->flags & GST_PARAM_CONTROLLABLE, "%s cannot follow a controller", what.c_str());
    }
  });
}
GST_END_TEST

// What may change while it plays is, under one name, of one kind everywhere, and follows a controller
// everywhere or nowhere.
GST_START_TEST(properties_of_one_name_are_alike) {
  struct Seen {
    std::string element;
    GType kind;
    bool controllable;
  };
  std::map<std::string, Seen> known;
  on_each([&](GstElementFactory *factory, GstElement *e) {
    const std::vector<GParamSpec *> own = OwnProperties(e).list;
    for (GParamSpec *p : own) {
      if (!(p->flags & GST_PARAM_MUTABLE_PLAYING)) continue;
      const Seen here{GST_OBJECT_NAME(factory), G_TYPE_FUNDAMENTAL(p->value_type),
                      (p->flags & GST_PARAM_CONTROLLABLE) != 0};
      const Seen &there = known.emplace(p->name, here).first->second;
      fail_unless(here.kind == there.kind && here.controllable == there.controllable,
                  "%s of %s is a %s, controllable: %d; that of %s is a %s, controllable: %d", p->name,
                  here.element.c_str(), g_type_name(here.kind), here.controllable, there.element.c_str(),
                  g_type_name(there.kind), there.controllable);
    }
  });
}
GST_END_TEST

// A property that is set changes itself alone, or says what else it has changed (GObject's notify): an
// application's dialogue would show wrong values.
GST_START_TEST(what_changes_is_told) {
  on_each([](GstElementFactory *factory, GstElement *e) {
    const std::vector<GParamSpec *> own = OwnProperties(e).list;
    const auto values = [&] {
      std::vector<std::string> all;
      for (const GParamSpec *p : own) {
        GValue value = G_VALUE_INIT;
        g_value_init(&value, p->value_type);
        g_object_get_property(G_OBJECT(e), p->name, &value);
        gchar *text = gst_value_serialize(&value);
        all.emplace_back(text ? text : "");
        g_free(text);
        g_value_unset(&value);
      }
      return all;
    };
    std::set<std::string> notified;
    const auto hear = +[](GObject *, GParamSpec *p, std::set<std::string> *names) { names->insert(p->name); };
    const gulong handler = g_signal_connect(e, "notify", G_CALLBACK(hear), &notified);
    for (GParamSpec *p : own)
      for (const std::string &value : values_of(p)) {
        const std::vector<std::string> before = values();
        notified.clear();
        gst_util_set_object_arg(G_OBJECT(e), p->name, value.c_str());
        const std::vector<std::string> after = values();
        for (std::size_t i = 0; i < own.size(); i++)
          fail_unless(before[i] == after[i] || notified.contains(own[i]->name),
                      "%s: %s=%s changes %s from %s to %s, and does not say so", GST_OBJECT_NAME(factory),
                      p->name, value.c_str(), own[i]->name, before[i].c_str(), after[i].c_str());
      }
    g_signal_handler_disconnect(e, handler);
  });
}
GST_END_TEST

// What says that it may change while it plays does so between frames, to every end of its range, and reads as
// it was set. (Elements of OpenCL build kernels for some values, and have this test in opencl.cpp.)
GST_START_TEST(what_may_change_while_it_plays_does) {
  on_every([](Harness &e) {
    if (name_of(e).starts_with("cl")) return;
    int n = 0;
    const std::vector<GParamSpec *> own = OwnProperties(e.get()).list;
    for (GParamSpec *p : own) {
      if (!(p->flags & GST_PARAM_MUTABLE_PLAYING) || G_IS_PARAM_SPEC_STRING(p)) continue;
      const std::string what = name_of(e) + " " + p->name;
      for (const std::string &value : values_of(p)) {
        GValue set = G_VALUE_INIT, got = G_VALUE_INIT;
        g_value_init(&set, p->value_type);
        g_value_init(&got, p->value_type);
        fail_unless(gst_value_deserialize(&set, value.c_str()), "%s=%s", what.c_str(), value.c_str());
        e.set(p->name, value.c_str());
        const GstFlowReturn flow = e.push(scene(format, width, height, n), n);
        fail_unless(flow == GST_FLOW_OK, "%s=%s: %s", what.c_str(), value.c_str(), gst_flow_get_name(flow));
        n++;
        g_object_get_property(G_OBJECT(e.get()), p->name, &got);
        fail_unless(g_param_values_cmp(p, &set, &got) == 0, "%s did not become %s", what.c_str(),
                    value.c_str());
        g_value_unset(&set);
        g_value_unset(&got);
        e.no_error();
        drop_output(e);
      }
    }
    still_works(e, n);
  });
}
GST_END_TEST

// A new element cannot be forgotten in the suites of neighbours that misbehave.
GST_START_TEST(suites_of_hostile_neighbours_have_every_element) {
#ifndef __SANITIZE_THREAD__ // for which some are left out
  const Folder folder;
  const std::vector<std::string> descriptions = test::elements(folder);
  on_each([&](GstElementFactory *factory, GstElement *e) {
    if (!GST_IS_BASE_TRANSFORM(e)) return; // a source has nobody before it
    const std::string name = GST_OBJECT_NAME(factory);
    const auto describes = [&](const std::string &d) { return parts_of(d.c_str(), " ")[0] == name; };
    fail_unless(std::ranges::any_of(descriptions, describes), "%s is missing in tests/elements/hostile.h",
                name.c_str());
  });
#endif
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("conventions");
  TCase *tests = tcase_create("every element");
  tcase_set_timeout(tests, 300);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, elements_describe_themselves);
  tcase_add_test(tests, templates_name_the_memory_of_gpus_first);
  tcase_add_test(tests, templates_end_at_the_largest_side);
  tcase_add_test(tests, who_uses_cuda_lets_its_user_choose_the_device);
  tcase_add_test(tests, properties_say_what_they_are_and_when_they_may_change);
  tcase_add_test(tests, properties_of_one_name_are_alike);
  tcase_add_test(tests, what_changes_is_told);
  tcase_add_test(tests, what_may_change_while_it_plays_does);
  tcase_add_test(tests, suites_of_hostile_neighbours_have_every_element);
  return run(suite, argc, argv);
}
