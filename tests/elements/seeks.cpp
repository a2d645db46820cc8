// SPDX-License-Identifier: LGPL-2.1-or-later
// Every element in a pipeline that is sought, flushed, played backwards, in pieces, and whose caps change
// while it plays: each frame of what was asked for last comes out once, in order, and none of before.
#include "tests/elements/hostile.h"

#include <mutex>
#include <set>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr GstClockTime frame_length = GST_SECOND / 25;

// A source that can be sought, one of the elements, and a sink that notes what comes since the last flush.
class Player {
 public:
  explicit Player(const std::string &element) {
    GError *error = nullptr;
    pipeline_ =
        gst_parse_launch(("videotestsrc ! capsfilter name=caps caps=\"" + caps_of(format, width, height) +
                          "\" ! " + element + " ! fakesink name=sink sync=false")
                             .c_str(),
                         &error);
    fail_unless(pipeline_ && !error, "%s: %s", element.c_str(), error ? error->message : "");
    name_ = element;
    GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline_), "sink");
    GstPad *pad = gst_element_get_static_pad(sink, "sink");
    gst_pad_add_probe(pad,
                      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_BOTH |
                                                   GST_PAD_PROBE_TYPE_EVENT_FLUSH),
                      note, this, nullptr);
    gst_object_unref(pad);
    gst_object_unref(sink);
    bus_ = gst_element_get_bus(pipeline_);
  }
  ~Player() {
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(bus_);
    gst_object_unref(pipeline_);
  }
  Player(const Player &) = delete;
  Player &operator=(const Player &) = delete;

  void state(GstState state) {
    gst_element_set_state(pipeline_, state);
    fail_unless(gst_element_get_state(pipeline_, nullptr, nullptr, 50 * GST_SECOND) ==
                    GST_STATE_CHANGE_SUCCESS,
                "%s does not reach %s", name_.c_str(), gst_element_state_get_name(state));
  }
  // In frames.
  void seek(double rate, int flags, int from, int to) {
    fail_unless(gst_element_seek(pipeline_, rate, GST_FORMAT_TIME,
                                 static_cast<GstSeekFlags>(flags | GST_SEEK_FLAG_ACCURATE), GST_SEEK_TYPE_SET,
                                 gint64(from * frame_length), GST_SEEK_TYPE_SET, gint64(to * frame_length)),
                "%s: the seek failed", name_.c_str());
  }
  void wait_for(GstMessageType type) {
    GstMessage *m = gst_bus_timed_pop_filtered(bus_, 50 * GST_SECOND,
                                               static_cast<GstMessageType>(type | GST_MESSAGE_ERROR));
    fail_unless(m && GST_MESSAGE_TYPE(m) == type, "%s: %s instead of %s", name_.c_str(),
                m ? GST_MESSAGE_TYPE_NAME(m) : "nothing", gst_message_type_get_name(type));
    gst_message_unref(m);
  }
  // Until so many frames have come since the last flush.
  void wait_for_frames(std::size_t count) {
    for (int ms = 0; ms < 50000; ms++) {
      {
        const std::lock_guard lock(mutex_);
        if (came_.size() >= count) return;
      }
      g_usleep(1000);
    }
    ck_abort_msg("%s: %d frames did not come", name_.c_str(), int(count));
  }
  // Numbers of the frames that came since the last flush are first, first + step, ..., `count` of them.
  void expect(int first, int step, int count) {
    const std::lock_guard lock(mutex_);
    fail_unless(int(came_.size()) == count, "%s: %d frames came, not %d", name_.c_str(), int(came_.size()),
                count);
    for (int i = 0; i < count; i++)
      fail_unless(came_[std::size_t(i)] == GstClockTime(first + i * step) * frame_length,
                  "%s: frame %d has time %" GST_TIME_FORMAT, name_.c_str(), i,
                  GST_TIME_ARGS(came_[std::size_t(i)]));
  }
  void size(int w, int h) {
    GstElement *filter = gst_bin_get_by_name(GST_BIN(pipeline_), "caps");
    gst_util_set_object_arg(G_OBJECT(filter), "caps", caps_of(format, w, h).c_str());
    gst_object_unref(filter);
  }
  // Sets another chain function on every sink pad, which calls the one that was there. The data that came
  // with that one is lost, as with GstValidate before 1.26.
  void come_between() {
    GstIterator *all = gst_bin_iterate_recurse(GST_BIN(pipeline_));
    gst_iterator_foreach(
        all,
        [](const GValue *v, gpointer) {
          gst_element_foreach_sink_pad(
              GST_ELEMENT(g_value_get_object(v)),
              [](GstElement *, GstPad *pad, gpointer) -> gboolean {
                if (!GST_PAD_CHAINFUNC(pad)) return TRUE;
                g_object_set_data(G_OBJECT(pad), "theirs",
                                  reinterpret_cast<gpointer>(GST_PAD_CHAINFUNC(pad)));
                gst_pad_set_chain_function(pad, [](GstPad *p, GstObject *parent, GstBuffer *buffer) {
                  return reinterpret_cast<GstPadChainFunction>(g_object_get_data(G_OBJECT(p), "theirs"))(
                      p, parent, buffer);
                });
                return TRUE;
              },
              nullptr);
        },
        nullptr);
    gst_iterator_free(all);
  }
  std::set<int> widths() {
    const std::lock_guard lock(mutex_);
    return widths_;
  }

 private:
  static GstPadProbeReturn note(GstPad *pad, GstPadProbeInfo *info, gpointer data) {
    auto *self = static_cast<Player *>(data);
    const std::lock_guard lock(self->mutex_);
    if (GST_PAD_PROBE_INFO_TYPE(info) & GST_PAD_PROBE_TYPE_BUFFER) {
      self->came_.push_back(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)));
      GstCaps *caps = gst_pad_get_current_caps(pad);
      int width = 0;
      gst_structure_get_int(gst_caps_get_structure(caps, 0), "width", &width);
      gst_caps_unref(caps);
      self->widths_.insert(width);
    } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_FLUSH_STOP)
      self->came_.clear();
    return GST_PAD_PROBE_OK;
  }

  GstElement *pipeline_;
  GstBus *bus_;
  std::string name_;
  std::mutex mutex_;
  std::vector<GstClockTime> came_;
  std::set<int> widths_;
};

void with_every(const std::function<void(Player &)> &fn) {
  const Folder folder;
  for (const std::string &element : elements(folder)) {
    Player player(element);
    fn(player);
  }
}

constexpr int flush = GST_SEEK_FLAG_FLUSH, segment = GST_SEEK_FLAG_SEGMENT;

void play_ten_frames(Player &p) {
  p.state(GST_STATE_PAUSED);
  p.seek(1, flush, 50, 60);
  p.state(GST_STATE_PLAYING);
  p.wait_for(GST_MESSAGE_EOS);
  p.expect(50, 1, 10);
}

} // namespace

GST_START_TEST(a_seek_before_it_plays) {
  with_every(play_ten_frames);
}
GST_END_TEST

GST_START_TEST(somebody_comes_between) {
  with_every([](Player &p) {
    p.come_between();
    play_ten_frames(p);
  });
}
GST_END_TEST

GST_START_TEST(seeks_while_it_plays) {
  with_every([](Player &p) {
    p.state(GST_STATE_PLAYING);
    for (const int from : {100, 7, 7, 2000}) {
      p.wait_for_frames(3);
      p.seek(1, flush, from, from + 10000);
    }
    p.wait_for_frames(3);
    p.seek(1, flush, 25, 30);
    p.wait_for(GST_MESSAGE_EOS);
    p.expect(25, 1, 5);
    p.seek(1, flush, 3, 7); // from the end back
    p.wait_for(GST_MESSAGE_EOS);
    p.expect(3, 1, 4);
  });
}
GST_END_TEST

GST_START_TEST(backwards) {
  with_every([](Player &p) {
    p.state(GST_STATE_PAUSED);
    p.seek(-1, flush, 10, 20);
    p.state(GST_STATE_PLAYING);
    p.wait_for(GST_MESSAGE_EOS);
    p.expect(20, -1, 11); // the source begins with the frame at the end
  });
}
GST_END_TEST

// Piece after piece without a flush: frames that are held come out before the piece is said to be done.
GST_START_TEST(in_pieces) {
  with_every([](Player &p) {
    p.state(GST_STATE_PAUSED);
    p.seek(1, flush | segment, 10, 15);
    p.state(GST_STATE_PLAYING);
    p.wait_for(GST_MESSAGE_SEGMENT_DONE); // the source posts it before it sends the event
    p.wait_for_frames(5);
    p.expect(10, 1, 5);
    p.seek(1, segment, 15, 20);
    p.wait_for(GST_MESSAGE_SEGMENT_DONE);
    p.wait_for_frames(10);
    p.expect(10, 1, 10);
    p.seek(1, 0, 20, 25);
    p.wait_for(GST_MESSAGE_EOS);
    p.expect(10, 1, 15);
  });
}
GST_END_TEST

GST_START_TEST(sizes_that_change_while_it_plays) {
  with_every([](Player &p) {
    p.state(GST_STATE_PLAYING);
    std::size_t frames = 3;
    for (const int w : {64, 128, width}) {
      p.wait_for_frames(frames);
      p.size(w, height);
      for (int ms = 0; ms < 50000 && !p.widths().count(w); ms++) g_usleep(1000);
      fail_unless(p.widths().count(w), "no frame of the new width came");
      frames += 3;
    }
  });
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("seeks");
  TCase *tests = tcase_create("pipelines");
  tcase_set_timeout(tests, 300);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, a_seek_before_it_plays);
  tcase_add_test(tests, somebody_comes_between);
  tcase_add_test(tests, seeks_while_it_plays);
  tcase_add_test(tests, backwards);
  tcase_add_test(tests, in_pieces);
  tcase_add_test(tests, sizes_that_change_while_it_plays);
  return run(suite, argc, argv);
}
