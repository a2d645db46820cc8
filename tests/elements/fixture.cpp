// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/elements/fixture.h"

#include "common/cuda/driver.h"
#include "common/device.h"
#include "common/error.h"
#include "gst/memory/gl_mapping.h"
#include "gst/video/formats.h"
#include "vigil-config.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gst/base/gstbasetransform.h>
#include <iterator>
#include <png.h>
#include <utility>

namespace vigil::test {
namespace {

// A number 0..255 that depends on all three and on nothing else.
int hash(int a, int b, int c) {
  std::uint32_t h = 0x9e3779b9u * std::uint32_t(a + 1) ^ 0x85ebca6bu * std::uint32_t(b + 1) ^
                    0xc2b2ae35u * std::uint32_t(c + 1);
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  return int(h >> 24);
}

} // namespace

Picture::Picture(const char *format, int width, int height) {
  gst_video_info_set_format(&info, gst_video_format_from_string(format), guint(width), guint(height));
  bytes.resize(GST_VIDEO_INFO_SIZE(&info));
}

Image Picture::image() {
  Image image;
  image.format = gst::pixel_format(info);
  image.width = GST_VIDEO_INFO_WIDTH(&info);
  image.height = GST_VIDEO_INFO_HEIGHT(&info);
  for (int i = 0; i < plane_count(image.format); i++) {
    const int plane = plane_count(image.format) == 3 ? GST_VIDEO_INFO_COMP_PLANE(&info, i) : i;
    image.data[i] = bytes.data() + GST_VIDEO_INFO_PLANE_OFFSET(&info, plane);
    image.stride[i] = GST_VIDEO_INFO_PLANE_STRIDE(&info, plane);
  }
  return image;
}

GstBuffer *Picture::buffer(int number, int fps) const {
  GstBuffer *b = gst_buffer_new_memdup(bytes.data(), bytes.size());
  GST_BUFFER_PTS(b) = gst_util_uint64_scale_int(GstClockTime(number) * GST_SECOND, 1, fps);
  GST_BUFFER_DURATION(b) = gst_util_uint64_scale_int(GST_SECOND, 1, fps);
  return b;
}

GstBuffer *Picture::padded(int number, int padding) const {
  const int planes = int(GST_VIDEO_INFO_N_PLANES(&info));
  gsize offsets[GST_VIDEO_MAX_PLANES] = {}, size = 3; // not aligned
  gint strides[GST_VIDEO_MAX_PLANES] = {};
  for (int i = 0; i < planes; i++) {
    offsets[i] = size;
    strides[i] = GST_VIDEO_INFO_PLANE_STRIDE(&info, i) + padding;
    size += gsize(strides[i]) * gsize(GST_VIDEO_INFO_COMP_HEIGHT(&info, i));
  }
  std::vector<std::uint8_t> memory(size, 0x5a);
  for (int i = 0; i < planes; i++)
    for (int y = 0; y < GST_VIDEO_INFO_COMP_HEIGHT(&info, i); y++)
      std::copy_n(bytes.begin() + std::ptrdiff_t(GST_VIDEO_INFO_PLANE_OFFSET(&info, i)) +
                      y * GST_VIDEO_INFO_PLANE_STRIDE(&info, i),
                  GST_VIDEO_INFO_PLANE_STRIDE(&info, i),
                  memory.begin() + std::ptrdiff_t(offsets[i]) + y * strides[i]);
  GstBuffer *b = gst_buffer_new_memdup(memory.data(), size);
  GST_BUFFER_PTS(b) = gst_util_uint64_scale_int(GstClockTime(number) * GST_SECOND, 1, 25);
  gst_buffer_add_video_meta_full(b, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                 guint(GST_VIDEO_INFO_WIDTH(&info)), guint(GST_VIDEO_INFO_HEIGHT(&info)),
                                 guint(planes), offsets, strides);
  return b;
}

Picture scene(const char *format, int width, int height, int number, const std::vector<Rect> &objects,
              int light) {
  Picture p(format, width, height);
  const Image image = p.image();
  for (int i = 0; i < plane_count(image.format); i++)
    for (int y = 0; y < plane_rows(i, height); y++) {
      std::uint8_t *row = image.data[i] + y * image.stride[i];
      for (int x = 0; x < row_bytes(image.format, i, width); x++)
        row[x] = std::uint8_t(60 + hash(x, y, i) % 60 + hash(x, y, 7 + 3 * number + i) % 5 + light);
    }
  const int step = row_bytes(image.format, 0, 2) / 2;
  for (const Rect &r : objects)
    for (int y = r.y; y < r.y + r.height; y++)
      for (int x = r.x * step; x < (r.x + r.width) * step; x++) image.plane(0).row(y)[x] = 230;
  return p;
}

std::string why_no_cuda([[maybe_unused]] int device) {
#ifdef VIGIL_HAVE_CUDA
  try {
    require_cuda_device(device);
    return {};
  } catch (const Error &e) {
    return e.what();
  }
#else
  return "this build has no CUDA";
#endif
}
std::string tested_backend() {
  const char *name = g_getenv("VIGIL_TEST_BACKEND");
  return name ? name : "cpu";
}
bool skipped_without_cuda(const char *what, int device) {
  const std::string why = why_no_cuda(device);
  if (why.empty()) {
    g_setenv("CK_FORK", "no", TRUE);
    return false;
  }
  g_print("SKIP: %s: %s\n", what, why.c_str());
  return true;
}

bool skipped_without_gl(const char *what) {
  std::string why;
  try {
    const auto device = open_gl();
    if (gst::is_software(*device)) why = "OpenGL draws on the processor (" + device->name() + ")";
  } catch (const Error &e) {
    why = e.what();
  }
  if (why.empty() || g_getenv("VIGIL_TEST_SLOW_GL")) {
    g_setenv("CK_FORK", "no", TRUE); // a child that is forked now could not use the driver
    return false;
  }
  g_print("SKIP: %s: %s\n", what, why.c_str());
  return true;
}

std::string caps_of(const char *format, int width, int height, const char *features, int fps) {
  return std::string("video/x-raw") + features + ", format=" + format + ", width=" + std::to_string(width) +
         ", height=" + std::to_string(height) + ", framerate=" + std::to_string(fps) + "/1";
}

Harness::Harness(const std::string &description, GstContext *context) {
  GError *error = nullptr;
  element_ = gst_parse_launch(description.c_str(), &error);
  if (!element_ || error)
    ck_abort_msg("cannot make %s: %s", description.c_str(), error ? error->message : "");
  gst_object_ref_sink(element_);
  bus_ = gst_bus_new();
  gst_element_set_bus(element_, bus_);
  if (context) gst_element_set_context(element_, context);
  harness_ = gst_harness_new_with_element(element_, "sink", "src");
}

Harness::~Harness() {
  gst_harness_teardown(harness_);
  gst_element_set_bus(element_, nullptr);
  gst_object_unref(bus_);
  ASSERT_OBJECT_REFCOUNT(element_, "the element after its last use", 1);
  gst_object_unref(element_);
}

std::vector<std::uint8_t> Harness::pull_bytes() {
  GstBuffer *b = pull();
  fail_unless(b, "no frame came out");
  const std::vector<std::uint8_t> bytes = bytes_of(b);
  gst_buffer_unref(b);
  return bytes;
}

std::vector<std::uint8_t> bytes_of(const Image &image) {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < plane_count(image.format); i++)
    for (int y = 0; y < plane_rows(i, image.height); y++) {
      const std::uint8_t *row = image.data[i] + y * image.stride[i];
      bytes.insert(bytes.end(), row, row + row_bytes(image.format, i, image.width));
    }
  return bytes;
}

std::vector<std::uint8_t> bytes_of(GstHarness *harness, GstBuffer *b) {
  GstCaps *caps = gst_pad_get_current_caps(harness->sinkpad);
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  gst_caps_unref(caps);
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, b, GST_MAP_READ), "what came out cannot be mapped");
  const std::vector<std::uint8_t> bytes = bytes_of(gst::image_of(frame));
  gst_video_frame_unmap(&frame);
  return bytes;
}

std::uint64_t Harness::stat(const char *field) {
  GstStructure *stats = nullptr;
  g_object_get(element_, "stats", &stats, nullptr);
  guint64 value = 0;
  fail_unless(gst_structure_get_uint64(stats, field, &value), "stats has no %s", field);
  gst_structure_free(stats);
  return value;
}

GstMessage *Harness::message(GstMessageType types) {
  return gst_bus_pop_filtered(bus_, types);
}

std::vector<std::string> Harness::events() {
  std::vector<std::string> names;
  while (GstMessage *m = message(GST_MESSAGE_ELEMENT)) {
    names.emplace_back(gst_structure_get_name(gst_message_get_structure(m)));
    gst_message_unref(m);
  }
  return names;
}

void Harness::event_at(const char *name, int number) {
  GstMessage *m = message(GST_MESSAGE_ELEMENT);
  fail_unless(m, "no message %s", name);
  const GstStructure *s = gst_message_get_structure(m);
  fail_unless_equals_string(gst_structure_get_name(s), name);
  const guint64 frame = GST_SECOND / 25, time = guint64(number) * frame;
  for (const auto &[field, expected] :
       {std::pair{"timestamp", time}, {"stream-time", time}, {"running-time", time}, {"duration", frame}}) {
    guint64 value = 0;
    fail_unless(gst_structure_get_uint64(s, field, &value), "%s has no %s", name, field);
    fail_unless_equals_uint64(value, expected);
  }
  gst_message_unref(m);
}

void Harness::takes_no_crops() {
  for (const GType api : {GST_VIDEO_META_API_TYPE, GST_VIDEO_CROP_META_API_TYPE})
    gst_harness_add_propose_allocation_meta(harness_, api, nullptr);
  GstCaps *caps = gst_pad_get_current_caps(harness_->srcpad);
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  fail_unless(gst_pad_peer_query(harness_->srcpad, query));
  fail_unless(gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr));
  fail_if(gst_query_find_allocation_meta(query, GST_VIDEO_CROP_META_API_TYPE, nullptr));
  gst_query_unref(query);
  gst_caps_unref(caps);
}
void Harness::no_error() {
  if (GstMessage *m = message(GST_MESSAGE_ERROR)) {
    GError *error = nullptr;
    gst_message_parse_error(m, &error, nullptr);
    ck_abort_msg("%s", error->message);
  }
}

std::string Harness::error(GQuark domain, int code, GstMessageType type) {
  GstMessage *m = message(type);
  fail_unless(m, "no %s was posted", gst_message_type_get_name(type));
  GError *e = nullptr;
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error(m, &e, nullptr);
  else
    gst_message_parse_warning(m, &e, nullptr);
  gst_message_unref(m);
  std::string text = e->message;
  if (!g_error_matches(e, domain, code))
    ck_abort_msg("'%s' came as %s %d", e->message, g_quark_to_string(e->domain), e->code);
  g_error_free(e);
  return text;
}

std::string not_found(GstElement *e) {
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(e, bus);
  fail_unless_equals_int(gst_element_set_state(e, GST_STATE_READY), GST_STATE_CHANGE_FAILURE);
  GstMessage *m = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  fail_unless(m != nullptr, "there is no error message");
  GError *error = nullptr;
  gst_message_parse_error(m, &error, nullptr);
  fail_unless(g_error_matches(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND), "%s", error->message);
  const std::string words = error->message;
  g_error_free(error);
  gst_message_unref(m);
  gst_element_set_bus(e, nullptr);
  gst_element_set_state(e, GST_STATE_NULL);
  gst_object_unref(bus);
  return words;
}

OwnProperties::OwnProperties(GstElement *e) {
  guint count = 0;
  specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(e), &count);
  for (guint i = 0; i < count; i++) {
    const GType owner = specs[i]->owner_type;
    // Those of GStreamer's own classes. The aggregator's type is known by its name alone where none was made.
    const bool foreign = owner == GST_TYPE_OBJECT || owner == GST_TYPE_ELEMENT ||
                         owner == GST_TYPE_BASE_TRANSFORM || owner == GST_TYPE_BIN ||
                         std::string_view(g_type_name(owner)) == "GstAggregator";
    if (!foreign && specs[i]->flags & G_PARAM_WRITABLE) list.push_back(specs[i]);
  }
}

// So many digits that the same number is read from them.
static std::string digits(float number) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  return g_ascii_formatd(text, sizeof text, "%.9g", double(number));
}

std::vector<std::string> values_of(GParamSpec *p) {
  if (G_IS_PARAM_SPEC_BOOLEAN(p)) return {"true", "false", "true"};
  if (auto *i = G_IS_PARAM_SPEC_INT(p) ? G_PARAM_SPEC_INT(p) : nullptr)
    return {std::to_string(i->minimum), std::to_string(i->maximum), std::to_string(i->default_value)};
  if (auto *u = G_IS_PARAM_SPEC_UINT(p) ? G_PARAM_SPEC_UINT(p) : nullptr)
    return {std::to_string(u->minimum), std::to_string(u->maximum), std::to_string(u->default_value)};
  if (auto *l = G_IS_PARAM_SPEC_INT64(p) ? G_PARAM_SPEC_INT64(p) : nullptr)
    return {std::to_string(l->minimum), std::to_string(l->maximum), std::to_string(l->default_value)};
  if (auto *f = G_IS_PARAM_SPEC_FLOAT(p) ? G_PARAM_SPEC_FLOAT(p) : nullptr)
    return {digits(f->minimum), digits(f->maximum), digits(f->default_value)};
  if (auto *e = G_IS_PARAM_SPEC_ENUM(p) ? G_PARAM_SPEC_ENUM(p) : nullptr) {
    std::vector<std::string> nicks;
    for (guint i = 0; i < e->enum_class->n_values; i++)
      nicks.emplace_back(e->enum_class->values[i].value_nick);
    nicks.emplace_back(g_enum_get_value(e->enum_class, e->default_value)->value_nick);
    return nicks;
  }
  if (p->value_type == GST_TYPE_STRUCTURE) return {"x, n=(int)1", "x, n=(double)2.5"};
  fail_unless(G_IS_PARAM_SPEC_STRING(p), "property %s is of a kind that this test does not know", p->name);
  return {"", ""};
}

guint live_objects() {
  GList *tracers = gst_tracing_get_active_tracers();
  fail_unless(tracers, "the leaks tracer does not run: set GST_TRACERS=leaks");
  GstStructure *s = nullptr;
  g_signal_emit_by_name(tracers->data, "get-live-objects", &s);
  g_list_free_full(tracers, gst_object_unref);
  fail_unless(s, "the leaks tracer does not answer");
  const guint count = gst_value_list_get_size(gst_structure_get_value(s, "live-objects-list"));
  gst_structure_free(s);
  return count;
}

void expect_no_more_objects_than(guint before) {
  gst_task_cleanup_all(); // threads of the last pipeline may still be on their way out
  guint after = live_objects();
  for (int wait = 0; wait < 100 && after > before; wait++) {
    g_usleep(20000);
    after = live_objects();
  }
  fail_unless(after <= before, "%u objects are left", after - before);
}

void play_to_the_end(GstElement *pipeline) {
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *m = gst_bus_timed_pop_filtered(
      bus, 50 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  fail_unless(m != nullptr, "the pipeline did not reach its end in 50 s");
  fail_unless(GST_MESSAGE_TYPE(m) == GST_MESSAGE_EOS, "the pipeline posted an error");
  gst_message_unref(m);
  gst_object_unref(bus);
  fail_unless_equals_int(gst_element_set_state(pipeline, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
}

Folder::Folder() {
  gchar *made = g_dir_make_tmp("vigil-XXXXXX", nullptr);
  fail_unless(made);
  path_ = made;
  g_free(made);
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::uint8_t> read_bytes(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  fail_unless(in.good(), "cannot read %s", path.c_str());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}
void write_bytes(const std::string &path, const std::vector<std::uint8_t> &bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
  fail_unless(out.good(), "cannot write %s", path.c_str());
}
void write_png(const std::string &path, int width, int height, const std::vector<std::uint8_t> &grey) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(width);
  image.height = png_uint_32(height);
  image.format = PNG_FORMAT_GRAY;
  fail_unless(png_image_write_to_file(&image, path.c_str(), 0, grey.data(), width, nullptr));
}

namespace {

// Processes that compile the same program for the first time disturb each other in PoCL's cache (3.1), so
// each test has its own folder in the cache that the environment names.
void keep_caches_apart(int argc, char **argv) {
  const char *all = g_getenv("XDG_CACHE_HOME");
  if (!all) return;
  std::string own = std::string(all) + "/" + g_get_prgname();
  for (int i = 1; i < argc; i++) own += std::string("-") + argv[i];
  for (const char *variable : {"GST_CHECKS", "GST_GL_API"})
    if (const char *value = g_getenv(variable)) own += std::string("-") + value;
  g_setenv("XDG_CACHE_HOME", own.c_str(), TRUE);
}

} // namespace

int run(Suite *suite, int argc, char **argv) {
  gst_check_init(&argc, &argv);
  keep_caches_apart(argc, argv);
  return gst_check_run_suite(suite, "elements", __FILE__);
}

} // namespace vigil::test
