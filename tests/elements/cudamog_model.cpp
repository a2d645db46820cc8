// SPDX-License-Identifier: LGPL-2.1-or-later
// The life of the model: reset, save and load by signals, model-location, damaged files.
#include "common/error.h"
#include "kernels/mog/state_file.h"
#include "tests/elements/fixture.h"

#include <chrono>
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr int width = 40, height = 30;

class Camera {
 public:
  explicit Camera(const std::string &settings = "", const char *format = "GRAY8", int w = width,
                  int h = height)
      : element(settings), format_(format), width_(w), height_(h) {
    element.caps(caps_of(format, w, h));
  }
  std::vector<std::uint8_t> show(int n) {
    fail_unless_equals_int(element.push(scene(format_, width_, height_, n, {{n % 20, 5, 8, 8}}), n),
                           GST_FLOW_OK);
    return element.pull_bytes();
  }
  void show(int from, int to) {
    for (int n = from; n < to; n++) show(n);
  }
  bool file(const char *signal, const std::string &path) {
    gboolean ok = FALSE;
    g_signal_emit_by_name(element.get(), signal, path.c_str(), &ok);
    return ok;
  }
  std::string refused(const std::string &path) {
    fail_if(file("load-model", path), "%s was taken", path.c_str());
    GstMessage *m = element.message(GST_MESSAGE_WARNING);
    fail_unless(m, "no warning");
    GError *e = nullptr;
    gst_message_parse_warning(m, &e, nullptr);
    const std::string said = e->message;
    g_error_free(e);
    gst_message_unref(m);
    return said;
  }
  Element element;

 private:
  const char *format_;
  int width_, height_;
};

} // namespace

GST_START_TEST(a_loaded_model_goes_on_as_the_saved_one) {
  const Folder folder;
  for (const char *settings : {"method=zivkovic", "method=mog", "precision=double", "components=3"})
    for (const char *format : {"GRAY8", "NV12", "RGBA", "BGRx"}) {
      const std::string path = folder / "model";
      Camera one(settings, format), other(settings, format);
      one.show(0, 30);
      fail_unless(one.file("save-model", path));
      other.show(90, 95);
      fail_unless(other.file("load-model", path));
      fail_unless_equals_uint64(other.element.stat("model-frames"), 30);
      for (int n = 30; n < 45; n++)
        fail_unless(one.show(n) == other.show(n), "%s, %s: mask %d differs", settings, format, n);
    }
}
GST_END_TEST

GST_START_TEST(the_file_holds_every_value) {
  for (const auto method : {mog::Method::mog, mog::Method::zivkovic}) {
    mog::SavedModel m{
        mog::empty_state({.width = 5, .height = 3, .channels = 1, .method = method, .components = 4}),
        mog::Samples::luma};
    m.state.frames = 77;
    const std::size_t n = 15;
    for (std::size_t i = 0; i < n; i++) {
      m.state.active[i] = std::uint8_t(i % 5);
      for (std::size_t k = 0; k < i % 5; k++) {
        m.state.weight[k * n + i] = 1.f / float(2 + k + i);
        m.state.variance[k * n + i] = 4.5f + float(i);
        m.state.mean[k * n + i] = 0.1f + float(10 * i + k);
      }
    }
    const std::vector<std::uint8_t> without = mog::serialize(m);
    fail_unless_equals_int(without[8], 1); // what programs that know no pictures read
    m.lights.format = PixelFormat::i420;
    for (int p = 0; p < 3; p++) {
      auto &bytes = m.lights.bytes.emplace_back(mog::picture_bytes(PixelFormat::i420, 5, 3));
      fail_unless_equals_int(bytes.size(), 5 * 3 + 2 * 3 * 2);
      for (std::size_t i = 0; i < bytes.size(); i++) bytes[i] = std::uint8_t(50 * p + int(i));
    }
    std::vector<std::uint8_t> file = mog::serialize(m);
    const mog::SavedModel back = mog::parse(file);
    fail_unless(back.lights.format == m.lights.format && back.lights.bytes == m.lights.bytes);
    fail_unless(mog::parse(without).lights.bytes.empty());
    file.pop_back();
    try {
      mog::parse(file);
      fail_if(true, "a file without the last byte of its last picture was taken");
    } catch (const Error &) {
    }
    fail_unless(back.state.config == m.state.config && back.samples == m.samples && back.state.frames == 77);
    fail_unless(back.state.active == m.state.active && back.state.weight == m.state.weight &&
                back.state.variance == m.state.variance && back.state.mean == m.state.mean);
  }
}
GST_END_TEST

GST_START_TEST(damaged_files_are_refused_and_the_model_stays) {
  const Folder folder;
  const std::string good = folder / "good", bad = folder / "bad";
  Camera camera, twin;
  camera.show(0, 20);
  twin.show(0, 20);
  fail_unless(camera.file("save-model", good));
  const auto bytes = read_bytes(good);

  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{20}, std::size_t{39},
        std::size_t{40}, std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    write_bytes(bad, {bytes.begin(), bytes.begin() + std::ptrdiff_t(length)});
    camera.refused(bad);
  }
  for (std::size_t at = 0; at < bytes.size(); at += at < 64 ? 1 : 97)
    for (const int bit : {0, 7}) {
      auto flipped = bytes;
      flipped[at] ^= std::uint8_t(1 << bit);
      write_bytes(bad, flipped);
      camera.refused(bad);
    }
  auto longer = bytes;
  longer.push_back(0);
  write_bytes(bad, longer);
  camera.refused(bad);
  std::vector<std::uint8_t> foreign(5000);
  for (std::size_t i = 0; i < foreign.size(); i++) foreign[i] = std::uint8_t(i * 7919 >> 3);
  write_bytes(bad, foreign);
  fail_unless(camera.refused(bad).find("not a saved model") != std::string::npos);
  camera.refused(folder / "missing");
  camera.refused(folder / ".");
  const std::string pipe = folder / "pipe";
  fail_unless_equals_int(mkfifo(pipe.c_str(), 0600), 0);
  camera.refused(pipe);

  for (int n = 20; n < 30; n++)
    fail_unless(camera.show(n) == twin.show(n), "the model did not stay as it was");
  fail_unless(camera.file("load-model", good), "the good file is refused");
}
GST_END_TEST

GST_START_TEST(models_of_another_kind_are_refused) {
  const Folder folder;
  const std::string path = folder / "model";
  struct Other {
    const char *settings, *format;
    int w, h;
    const char *says;
  };
  for (const Other &o : {Other{"", "NV12", 48, height, "48x30"},
                         {"color=false", "NV12", width, height, "channels"},
                         {"method=mog", "NV12", width, height, "channels"},
                         {"components=2", "NV12", width, height, "components"},
                         {"", "RGBA", width, height, "R G B"}}) {
    Camera other(o.settings, o.format, o.w, o.h), camera("", "NV12");
    other.show(0, 3);
    camera.show(0, 3);
    fail_unless(other.file("save-model", path));
    const std::string said = camera.refused(path);
    fail_unless(said.find(o.says) != std::string::npos, "'%s' does not say %s", said.c_str(), o.says);
    fail_unless_equals_uint64(camera.element.stat("model-frames"), 3);
  }
}
GST_END_TEST

GST_START_TEST(impossible_values_are_refused) {
  mog::SavedModel m{mog::empty_state({.width = 2, .height = 1, .components = 2}), mog::Samples::luma};
  m.state.active = {1, 1};
  m.state.weight[0] = m.state.weight[1] = 1;
  m.state.variance[0] = m.state.variance[1] = 15;
  m.state.mean[0] = m.state.mean[1] = 100;
  mog::parse(mog::serialize(m)); // possible as it is
  const auto refused = [](const mog::SavedModel &wrong) {
    try {
      mog::parse(mog::serialize(wrong));
      return false;
    } catch (const Error &e) {
      return e.kind() == Error::Kind::bad_data;
    }
  };
  for (const float value : {std::nanf(""), INFINITY, -1.f, 1e9f}) {
    for (auto array : {&mog::State::weight, &mog::State::variance, &mog::State::mean}) {
      mog::SavedModel wrong = m;
      (wrong.state.*array)[1] = value;
      fail_unless(refused(wrong), "%f was taken", double(value));
    }
  }
}
GST_END_TEST

GST_START_TEST(model_location_loads_and_saves) {
  const Folder folder;
  const std::string path = folder / "model";
  {
    Camera first("model-location=" + path);
    first.show(0, 12);
    fail_if(std::filesystem::exists(path), "saved before the stop");
  }
  Camera again("model-location=" + path);
  again.show(12, 15);
  fail_unless_equals_uint64(again.element.stat("model-frames"), 15);
  // no other file is left next to it
  int files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder / "."))
    files += entry.is_regular_file();
  fail_unless_equals_int(files, 1);
}
GST_END_TEST

// Neither a foreign file nor the model of other frames keeps a camera from starting; neither is lost.
GST_START_TEST(a_file_that_does_not_fit_is_kept_and_the_model_learnt_anew) {
  const Folder folder;
  const std::string path = folder / "model", kept = folder / "model.bak";
  std::vector<std::uint8_t> small;
  {
    Camera camera("model-location=" + (folder / "small"), "GRAY8", 16, 16);
    camera.show(0);
  }
  small = read_bytes(folder / "small");
  std::vector<std::uint8_t> damaged = small;
  damaged[50] ^= 1;
  const std::vector<std::uint8_t> letter = {'D', 'e', 'a', 'r', ' ', 'f', 'r', 'i', 'e', 'n', 'd'};
  for (const auto &content : {letter, small, damaged, std::vector<std::uint8_t>()}) {
    write_bytes(path, content);
    std::filesystem::remove(kept);
    {
      Camera camera("model-location=" + path);
      camera.show(0, 5);
      const std::string said =
          camera.element.error(GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE, GST_MESSAGE_WARNING);
      fail_unless(said.find("learnt again") != said.npos && said.find(".bak") != said.npos, "'%s'",
                  said.c_str());
      fail_unless(content != small || said.find("16x16") != said.npos, "'%s'", said.c_str());
      camera.element.no_error();
      fail_unless_equals_uint64(camera.element.stat("model-frames"), 5);
      fail_unless(read_bytes(path) == content, "the file was touched before there is something better");
    }
    fail_unless(read_bytes(kept) == content, "what was there is lost");
    Camera again("model-location=" + path);
    again.show(5, 8);
    fail_unless_equals_uint64(again.element.stat("model-frames"), 8);
    fail_if(again.element.message(GST_MESSAGE_WARNING), "a good model is warned of");
  }
  // as before the first frame, so with a model that load-model gave
  Camera camera;
  fail_unless(camera.file("load-model", folder / "small"));
  camera.show(0, 3);
  camera.element.error(GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE, GST_MESSAGE_WARNING);
  fail_unless_equals_uint64(camera.element.stat("model-frames"), 3);
}
GST_END_TEST

// A folder in the place of the model, or of the file that is kept, loses nothing and is said.
GST_START_TEST(folders_in_the_place_of_files_are_set_aside) {
  const Folder folder;
  const std::string path = folder / "model", kept = path + ".bak";
  const std::vector<std::uint8_t> letter = {'D', 'e', 'a', 'r'};
  const auto asides = [&] { // how many there are, each with what somebody had in it
    int found = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder / "."))
      if (entry.path().string().find(".damaged-") != std::string::npos) {
        fail_unless(read_bytes(entry.path().string() + "/letter") == letter, "%s", entry.path().c_str());
        found++;
      }
    return found;
  };
  const auto make_folder = [&](const std::string &place) {
    std::filesystem::create_directory(place);
    write_bytes(place + "/letter", letter);
  };
  const auto saves = [&](bool foreign_folder) {
    Camera camera("model-location=" + path);
    camera.show(0, 5);
    const std::string said = camera.element.error(foreign_folder ? GST_RESOURCE_ERROR : GST_STREAM_ERROR,
                                                  foreign_folder ? int(GST_RESOURCE_ERROR_OPEN_READ)
                                                                 : int(GST_STREAM_ERROR_WRONG_TYPE),
                                                  GST_MESSAGE_WARNING);
    fail_unless(said.find(foreign_folder ? "folder" : ".bak") != said.npos, "'%s'", said.c_str());
    fail_unless(gst_harness_push_event(camera.element.harness(), gst_event_new_eos()));
    const std::string aside =
        camera.element.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, GST_MESSAGE_WARNING);
    fail_unless(aside.find("set aside") != aside.npos && aside.find(".damaged-") != aside.npos, "'%s'",
                aside.c_str());
    camera.element.no_error();
    fail_unless_equals_uint64(mog::read_file(path).state.frames, 5);
  };
  // LOCATION.bak
  write_bytes(path, letter);
  make_folder(kept);
  saves(false);
  fail_unless(read_bytes(kept) == letter && asides() == 1, "%d folders aside", asides());
  // LOCATION, with a file at LOCATION.bak, then with a folder there
  for (int round = 0; round < 2; round++) {
    std::filesystem::remove(path);
    make_folder(path);
    saves(true);
    fail_unless(round == 1 || read_bytes(kept) == letter, "the file that was kept is lost");
    fail_unless_equals_int(asides(), 2 + round);
    if (round == 0) {
      std::filesystem::remove(kept);
      make_folder(kept);
    }
  }
  fail_unless(std::filesystem::is_directory(kept), "a folder was moved that was in nobody's way");
  // LOCATION, while it plays
  Camera camera("model-location=" + path);
  camera.show(0, 2);
  std::filesystem::remove(path);
  make_folder(path);
  fail_unless(gst_harness_push_event(camera.element.harness(), gst_event_new_eos()));
  camera.element.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, GST_MESSAGE_WARNING);
  fail_unless_equals_uint64(mog::read_file(path).state.frames, 7);
  fail_unless_equals_int(asides(), 4);
}
GST_END_TEST

GST_START_TEST(a_device_is_written_to_and_stays) {
  const Folder folder;
  const std::string path = folder / "model";
  std::filesystem::create_symlink("/dev/null", path);
  {
    Camera camera("model-location=" + path);
    camera.show(0, 5);
    const std::string said =
        camera.element.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ, GST_MESSAGE_WARNING);
    fail_unless(said.find("learnt again") != said.npos && said.find(".bak") == said.npos, "'%s'",
                said.c_str());
  }
  fail_unless(std::filesystem::is_character_file(path) && !std::filesystem::exists(path + ".bak"));
}
GST_END_TEST

GST_START_TEST(the_model_is_saved_while_it_plays) {
  const Folder folder;
  const std::string path = folder / "model";
  Camera camera("save-interval=1 model-location=" + path);
  for (int n = 0; n < 400 && !std::filesystem::exists(path); n++) {
    camera.show(n);
    g_usleep(10000);
  }
  const mog::SavedModel saved = mog::read_file(path); // whole at any time
  fail_unless(saved.state.frames > 10, "saved after %d frames", int(saved.state.frames));
  // this process ends here without a stop: what another finds is what was saved
  Camera other("model-location=" + path);
  other.show(0);
  fail_unless_equals_uint64(other.element.stat("model-frames"), saved.state.frames + 1);
}
GST_END_TEST

GST_START_TEST(the_end_of_the_stream_saves_and_tells) {
  const Folder folder;
  const std::string path = folder / "model";
  Camera camera("model-location=" + path);
  camera.show(0, 3);
  fail_unless(gst_harness_push_event(camera.element.harness(), gst_event_new_eos()));
  fail_unless_equals_uint64(mog::read_file(path).state.frames, 3);
  // a disk that fills up: /dev/full would be no file next to which another can be made, so the folder goes
  // away
  const std::string away = folder / "away";
  std::filesystem::create_directory(away);
  Camera unlucky("model-location=" + away + "/model");
  unlucky.show(0, 3);
  std::filesystem::remove(away);
  fail_unless(gst_harness_push_event(unlucky.element.harness(), gst_event_new_eos()));
  const std::string said =
      unlucky.element.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, GST_MESSAGE_WARNING);
  fail_unless(said.find("not saved") != said.npos, "'%s'", said.c_str());
}
GST_END_TEST

// "MODEL.PID-N" of processes that were killed while they wrote.
GST_START_TEST(what_killed_processes_left_is_removed) {
  const Folder folder;
  const std::string path = folder / "model";
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::minutes(1);
  const std::string stale[] = {path + ".1-0", path + "." + std::to_string(getpid()) + "-7",
                               path + ".99999-12"};
  const std::string others[] = {path + ".bak", path + ".1-0x", path + ".old-1", folder / "other.1-0"};
  const std::string young = path + ".1-99", held = path + ".1-98";
  for (const auto &name : stale) write_bytes(name, {1, 2, 3});
  for (const auto &name : others) write_bytes(name, {1, 2, 3});
  write_bytes(held, {1});
  for (const auto &entry : std::filesystem::directory_iterator(folder / "."))
    std::filesystem::last_write_time(entry.path(), long_ago);
  write_bytes(young, {1});
  const int lock = open(held.c_str(), O_RDONLY | O_CLOEXEC);
  fail_unless_equals_int(flock(lock, LOCK_EX), 0);
  Camera camera("model-location=" + path);
  for (const auto &name : stale) fail_if(std::filesystem::exists(name), "%s is still there", name.c_str());
  for (const auto &name : others) fail_unless(std::filesystem::exists(name), "%s is gone", name.c_str());
  fail_unless(std::filesystem::exists(young) && std::filesystem::exists(held), "a writer lost its file");
  close(lock);
}
GST_END_TEST

GST_START_TEST(a_model_that_cannot_be_saved_is_a_warning) {
  Camera camera;
  fail_if(camera.file("save-model", "/proc/nowhere/model"), "saved before there is a model");
  camera.element.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, GST_MESSAGE_WARNING);
  camera.show(0, 3);
  fail_if(camera.file("save-model", "/proc/nowhere/model"));
  camera.element.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, GST_MESSAGE_WARNING);
  fail_if(camera.file("save-model", ""));

  // said at the start, while someone listens
  Element element("model-location=/proc/nowhere/model");
  const std::string said =
      element.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, GST_MESSAGE_WARNING);
  fail_unless(said.find("/proc/nowhere/model") != std::string::npos, "'%s'", said.c_str());
}
GST_END_TEST

GST_START_TEST(reset_forgets) {
  Camera camera, fresh;
  camera.show(0, 20);
  g_signal_emit_by_name(camera.element.get(), "reset");
  fail_unless_equals_uint64(camera.element.stat("model-frames"), 0);
  for (int n = 50; n < 60; n++) fail_unless(camera.show(n) == fresh.show(n));
}
GST_END_TEST

GST_START_TEST(another_precision_keeps_what_was_learnt) {
  Camera camera("precision=double");
  camera.show(0, 10);
  camera.element.set("precision", "single");
  camera.show(10, 12);
  fail_unless_equals_uint64(camera.element.stat("model-frames"), 12);
  camera.element.set("components", "2");
  camera.show(12, 14);
  fail_unless_equals_uint64(camera.element.stat("model-frames"), 2);
}
GST_END_TEST

GST_START_TEST(precision_auto_goes_by_the_learning_rate) {
  const auto expect_in_use = [](Camera &camera, const char *precision) {
    GstStructure *s = nullptr;
    g_object_get(camera.element.get(), "stats", &s, nullptr);
    const char *text = gst_structure_get_string(s, "precision");
    fail_unless_equals_string(text ? text : "none", precision);
    gst_structure_free(s);
  };
  Camera camera;
  expect_in_use(camera, "none");
  camera.show(0, 10);
  expect_in_use(camera, "compact");
  camera.element.set("learning-rate", "0.0007"); // 0.02 of that where foreground is: less than 2^-16
  camera.show(10, 12);
  expect_in_use(camera, "single");
  camera.element.set("learning-rate", "0"); // nothing is learnt: the model stays as it is
  camera.show(12, 14);
  expect_in_use(camera, "single");
  camera.element.set("learning-rate", "0.0008");
  camera.show(14, 16);
  expect_in_use(camera, "compact");
  camera.element.set("precision", "double");
  camera.show(16, 18);
  expect_in_use(camera, "double");
  fail_unless_equals_uint64(camera.element.stat("model-frames"), 18);
}
GST_END_TEST

GST_START_TEST(precision_auto_knows_how_long_frames_last) {
  // fixture.h has frames of 25 a second: with a memory of T seconds the slowest rate is 0.02 / (25 T)
  Camera fast("learning-time=50"), slow("learning-time=55");
  fast.show(0, 3);
  slow.show(0, 3);
  for (const auto &[camera, want] : {std::pair{&fast, "compact"}, std::pair{&slow, "single"}}) {
    GstStructure *s = nullptr;
    g_object_get(camera->element.get(), "stats", &s, nullptr);
    fail_unless_equals_string(gst_structure_get_string(s, "precision"), want);
    gst_structure_free(s);
  }
}
GST_END_TEST

GST_START_TEST(a_model_of_each_precision_loads_into_each_other) {
  const Folder folder;
  for (const char *method : {"zivkovic", "mog"})
    for (const char *from : {"single", "compact"})
      for (const char *to : {"single", "compact"}) {
        const std::string path = folder / "model", same = std::string("method=") + method + " precision=";
        Camera one(same + from, "I420"), other(same + to, "I420");
        one.show(0, 60);
        fail_unless(one.file("save-model", path));
        fail_unless(other.file("load-model", path));
        int different = 0, pixels = 0;
        for (int n = 60; n < 80; n++) {
          const std::vector<std::uint8_t> a = one.show(n), b = other.show(n);
          for (std::size_t i = 0; i < a.size(); i++) different += a[i] != b[i];
          pixels += int(a.size());
        }
        fail_unless_equals_uint64(other.element.stat("model-frames"), 80);
        fail_unless(different <= pixels / 200, "%s, %s to %s: %d of %d pixels differ", method, from, to,
                    different, pixels);
      }
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("cudamog-model");
  TCase *tests = tcase_create("model");
  tcase_set_timeout(tests, 120);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, a_loaded_model_goes_on_as_the_saved_one);
  tcase_add_test(tests, the_file_holds_every_value);
  tcase_add_test(tests, damaged_files_are_refused_and_the_model_stays);
  tcase_add_test(tests, models_of_another_kind_are_refused);
  tcase_add_test(tests, impossible_values_are_refused);
  tcase_add_test(tests, model_location_loads_and_saves);
  tcase_add_test(tests, a_file_that_does_not_fit_is_kept_and_the_model_learnt_anew);
  tcase_add_test(tests, folders_in_the_place_of_files_are_set_aside);
  tcase_add_test(tests, a_device_is_written_to_and_stays);
  tcase_add_test(tests, the_model_is_saved_while_it_plays);
  tcase_add_test(tests, the_end_of_the_stream_saves_and_tells);
  tcase_add_test(tests, what_killed_processes_left_is_removed);
  tcase_add_test(tests, a_model_that_cannot_be_saved_is_a_warning);
  tcase_add_test(tests, reset_forgets);
  tcase_add_test(tests, another_precision_keeps_what_was_learnt);
  tcase_add_test(tests, precision_auto_goes_by_the_learning_rate);
  tcase_add_test(tests, precision_auto_knows_how_long_frames_last);
  tcase_add_test(tests, a_model_of_each_precision_loads_into_each_other);
  return run(suite, argc, argv);
}
