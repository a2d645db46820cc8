// SPDX-License-Identifier: LGPL-2.1-or-later
// The files in gst/presets: GStreamer itself ignores a property that does not exist and a value that does not
// fit, so each line is looked at here. Usage: presets-test (the folder is in GST_PRESET_PATH).
#include "tests/elements/plugin.h"

#include <filesystem>
#include <memory>

using namespace vigil::test;
namespace fs = std::filesystem;

namespace {

struct Presets {
  explicit Presets(const fs::path &file) : keys(g_key_file_new()) {
    fail_unless(g_key_file_load_from_file(keys, file.c_str(), G_KEY_FILE_NONE, nullptr), "%s cannot be read",
                file.c_str());
  }
  ~Presets() { g_key_file_free(keys); }
  Presets(const Presets &) = delete;
  Presets &operator=(const Presets &) = delete;
  std::string text(const std::string &group, const std::string &key) const {
    const std::unique_ptr<gchar, decltype(&g_free)> value(
        g_key_file_get_string(keys, group.c_str(), key.c_str(), nullptr), g_free);
    return value ? value.get() : "";
  }
  std::vector<std::string> names(gchar **list) const {
    const std::unique_ptr<gchar *, decltype(&g_strfreev)> owner(list, g_strfreev);
    std::vector<std::string> all;
    for (gchar **s = list; s && *s; s++) all.emplace_back(*s);
    return all;
  }
  std::vector<std::string> groups() const { return names(g_key_file_get_groups(keys, nullptr)); }
  std::vector<std::string> lines(const std::string &group) const {
    return names(g_key_file_get_keys(keys, group.c_str(), nullptr, nullptr));
  }

  GKeyFile *keys;
};

fs::path folder() {
  const char *path = g_getenv("GST_PRESET_PATH");
  fail_unless(path && fs::is_directory(path), "GST_PRESET_PATH names no folder");
  return path;
}

// The element whose type is the file's name; null where this build has no such element.
GstElement *element_of(const std::string &type) {
  GstElement *found = nullptr;
  for (GstElementFactory *factory : factories()) {
    GstElement *e = gst_element_factory_create(factory, nullptr);
    gst_object_unref(factory);
    fail_unless(e != nullptr);
    if (!found && type == G_OBJECT_TYPE_NAME(e))
      found = e;
    else
      gst_object_unref(gst_object_ref_sink(e));
  }
  return found ? GST_ELEMENT(gst_object_ref_sink(found)) : nullptr;
}

// One line of a preset, against the element that has loaded it.
void check_line(GstElement *e, const std::string &preset, const std::string &name, const std::string &value) {
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(e), name.c_str());
  fail_unless(spec != nullptr, "[%s] %s is no property", preset.c_str(), name.c_str());
  fail_unless((spec->flags & G_PARAM_READWRITE) == G_PARAM_READWRITE, "[%s] %s cannot be set", preset.c_str(),
              name.c_str());
  GValue wanted = G_VALUE_INIT, got = G_VALUE_INIT;
  g_value_init(&wanted, spec->value_type);
  g_value_init(&got, spec->value_type);
  fail_unless(gst_value_deserialize(&wanted, value.c_str()), "[%s] %s cannot be %s", preset.c_str(),
              name.c_str(), value.c_str());
  fail_if(g_param_value_validate(spec, &wanted), "[%s] %s=%s is out of range", preset.c_str(), name.c_str(),
          value.c_str());
  fail_if(g_param_value_defaults(spec, &wanted), "[%s] %s=%s is the default, which needs no line",
          preset.c_str(), name.c_str(), value.c_str());
  g_object_get_property(G_OBJECT(e), name.c_str(), &got);
  fail_unless(g_param_values_cmp(spec, &wanted, &got) == 0, "[%s] did not set %s to %s", preset.c_str(),
              name.c_str(), value.c_str());
  g_value_unset(&wanted);
  g_value_unset(&got);
}

} // namespace

GST_START_TEST(every_line_of_every_preset_takes_effect) {
  int files = 0, lines = 0;
  for (const auto &entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() != ".prs") continue;
    const Presets presets(entry.path());
    const std::string type = entry.path().stem();
    const std::string named =
        presets.text("_presets_", "element-name"); // the macro keeps pointers to its arguments
    fail_unless_equals_string(named.c_str(), type.c_str());
    files++;
    for (const std::string &preset : presets.groups()) {
      if (preset == "_presets_") continue;
      GstElement *e = element_of(type); // a new one: nothing of another preset in it
      if (!e) {
        g_print("SKIPPED: this build has no %s\n", type.c_str());
        break;
      }
      fail_unless(gst_preset_load_preset(GST_PRESET(e), preset.c_str()), "%s does not load %s", type.c_str(),
                  preset.c_str());
      fail_if(presets.text(preset, "_meta/comment").empty(), "[%s] has no comment", preset.c_str());
      for (const std::string &line : presets.lines(preset)) {
        if (line.starts_with("_meta/")) continue;
        check_line(e, preset, line, presets.text(preset, line));
        lines++;
      }
      gst_object_unref(e);
    }
  }
  fail_unless(files > 0 && lines > files, "%d files with %d lines", files, lines);
}
GST_END_TEST

GST_START_TEST(elements_offer_their_presets) {
  for (GstElementFactory *factory : factories()) {
    GstElement *e = GST_ELEMENT(gst_object_ref_sink(gst_element_factory_create(factory, nullptr)));
    const fs::path file = folder() / (std::string(G_OBJECT_TYPE_NAME(e)) + ".prs");
    if (fs::exists(file)) {
      fail_unless(GST_IS_PRESET(e));
      const std::size_t wanted = Presets(file).groups().size() - 1;
      gchar **names = gst_preset_get_preset_names(GST_PRESET(e));
      fail_unless_equals_int(int(g_strv_length(names)), int(wanted));
      g_strfreev(names);
      fail_if(gst_preset_load_preset(GST_PRESET(e), "no such preset"));
    }
    gst_object_unref(e);
    gst_object_unref(factory);
  }
}
GST_END_TEST

GST_START_TEST(a_description_may_name_a_preset) {
  GError *error = nullptr;
  GstElement *e = gst_parse_launch("cudamog motion-hold=5000 @preset=traffic", &error);
  fail_unless(e && !error, "%s", error ? error->message : "");
  gint hold = 0; // the preset leaves it alone
  gfloat sigma = 0;
  g_object_get(e, "motion-hold", &hold, "match-sigma", &sigma, nullptr);
  fail_unless_equals_int(hold, 5000);
  const Presets presets(folder() / "GstCudaMog.prs");
  fail_unless_equals_float(sigma,
                           float(g_ascii_strtod(presets.text("traffic", "match-sigma").c_str(), nullptr)));
  gst_object_unref(e);
}
GST_END_TEST

static Suite *presets_suite() {
  Suite *suite = suite_create("presets");
  TCase *tests = tcase_create("presets");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, every_line_of_every_preset_takes_effect);
  tcase_add_test(tests, elements_offer_their_presets);
  tcase_add_test(tests, a_description_may_name_a_preset);
  return suite;
}

GST_CHECK_MAIN(presets)
