// SPDX-License-Identifier: LGPL-2.1-or-later
// Masks, tracks and events are the same whichever decoder made the frames: libav's, OpenH264's, and one that
// lays frames out as those of VA-API and V4L2 do. Their surfaces have whole macroblocks and long rows, each
// plane perhaps a memory of its own. They are few, and the decoder goes on reading them.
#include "gst/metadata/track_meta.h"
#include "gst/video/gst_ptr.h"
#include "tests/unit.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

using namespace vigil::gst;
using namespace vigil::test;

namespace {

constexpr int frames = 200;
constexpr const char *rules =
    "{\"zones\":[{\"name\":\"left\",\"polygon\":[[0,0],[0.5,0],[0.5,1],[0,1]],\"loitering\":1},"
    "{\"name\":\"all\",\"polygon\":[[0,0],[1,0],[1,1],[0,1]]}],"
    "\"lines\":[{\"name\":\"gate\",\"points\":[[0.5,0],[0.5,1]]},"
    "{\"name\":\"kerb\",\"points\":[[0,0.6],[1,0.6]]}]}";

// A number of the pixels of a picture, which no padding and no order of the planes changes.
guint64 number_of(GstBuffer *buffer, GstCaps *caps) {
  GstVideoInfo info;
  GstVideoFrame frame;
  if (!gst_video_info_from_caps(&info, caps) || !gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ))
    return 0;
  guint64 n = 14695981039346656037u; // FNV-1a
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS(&frame); c++)
    for (int y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT(&frame, c); y++) {
      const auto *row = static_cast<const guint8 *>(GST_VIDEO_FRAME_COMP_DATA(&frame, c)) +
                        y * GST_VIDEO_FRAME_COMP_STRIDE(&frame, c);
      for (int x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH(&frame, c); x++)
        n = (n ^ row[x * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, c)]) * 1099511628211u;
    }
  gst_video_frame_unmap(&frame);
  return n;
}

// How a decoder lays its frames out; as they come where `row` is 0.
struct Layout {
  std::string name, decoder;
  gsize row = 0;            // bytes that a row's length is a multiple of
  bool apart = false;       // each plane is a memory of its own
  std::size_t reads_on = 0; // frames that the decoder keeps to read
};

// What passes the decoder: each frame is copied to a surface of this layout.
struct Surfaces {
  const Layout &layout;
  std::vector<guint64> pictures{}; // numbers of the pixels
  std::deque<std::pair<BufferPtr, guint64>> kept{};
  std::atomic<int> outside = 0; // surfaces that others have
  int asked_for = -1;           // by the elements behind; -1: not asked yet
  int most_outside = 0, changed = 0;
  bool crops = false, takes_meta = false;

  void ask(GstPad *pad, GstCaps *caps) {
    GstQuery *query = gst_query_new_allocation(caps, TRUE);
    asked_for = 0;
    if (gst_pad_peer_query(pad, query)) {
      takes_meta = gst_query_find_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
      crops = gst_query_find_allocation_meta(query, GST_VIDEO_CROP_META_API_TYPE, nullptr);
      guint least = 0;
      if (gst_query_get_n_allocation_pools(query) > 0)
        gst_query_parse_nth_allocation_pool(query, 0, nullptr, nullptr, &least, nullptr);
      asked_for = int(least);
    }
    gst_query_unref(query);
  }

  GstMemory *memory(gsize size, bool counted) {
    auto *const bytes = static_cast<guint8 *>(g_malloc(size));
    std::memset(bytes, int(0x55 + 0x2d * pictures.size()) & 0xff, size); // other rubbish in each frame
    struct Owned {
      guint8 *bytes;
      std::atomic<int> *count;
    };
    if (counted) outside++;
    return gst_memory_new_wrapped(GstMemoryFlags(0), bytes, size, 0, size,
                                  new Owned{bytes, counted ? &outside : nullptr}, [](gpointer user) {
                                    auto *const owned = static_cast<Owned *>(user);
                                    if (owned->count) --*owned->count;
                                    g_free(owned->bytes);
                                    delete owned;
                                  });
  }

  GstBuffer *surface(const GstVideoInfo &info) {
    GstBuffer *made = gst_buffer_new();
    gsize offsets[GST_VIDEO_MAX_PLANES] = {}, size = 0;
    gint strides[GST_VIDEO_MAX_PLANES] = {};
    const guint planes = GST_VIDEO_INFO_N_PLANES(&info);
    const auto up = [](gsize n, gsize to) { return (n + to - 1) / to * to; };
    for (guint p = 0; p < planes; p++) {
      offsets[p] = size;
      strides[p] = gint(up(gsize(GST_VIDEO_INFO_PLANE_STRIDE(&info, p)), layout.row));
      const gsize rows = up(gsize(GST_VIDEO_INFO_HEIGHT(&info)), 16) / (p > 0 ? 2 : 1);
      const gsize bytes = gsize(strides[p]) * rows + 4096;
      if (layout.apart) gst_buffer_append_memory(made, memory(bytes, p == 0));
      size += bytes;
    }
    if (!layout.apart) gst_buffer_append_memory(made, memory(size, true));
    gst_buffer_add_video_meta_full(made, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                   guint(GST_VIDEO_INFO_WIDTH(&info)), guint(GST_VIDEO_INFO_HEIGHT(&info)),
                                   planes, offsets, strides);
    return made;
  }

  void keep(GstBuffer *buffer, guint64 number, GstCaps *caps) {
    kept.emplace_back(gst_buffer_ref(buffer), number);
    while (kept.size() > layout.reads_on) {
      changed += number_of(kept.front().first.get(), caps) != kept.front().second;
      kept.pop_front();
    }
  }

  GstPadProbeReturn take(GstPad *pad, GstPadProbeInfo *probe) {
    GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(probe);
    const CapsPtr caps(gst_pad_get_current_caps(pad));
    if (asked_for < 0) ask(pad, caps.get());
    const guint64 number = number_of(buffer, caps.get());
    pictures.push_back(number);
    if (layout.row == 0) return GST_PAD_PROBE_OK;
    most_outside = std::max(most_outside, outside.load());
    GstVideoInfo info;
    GstVideoFrame from, to;
    gst_video_info_from_caps(&info, caps.get());
    GstBuffer *made = surface(info);
    gst_buffer_copy_into(made, buffer, GST_BUFFER_COPY_METADATA, 0, gsize(-1));
    if (gst_video_frame_map(&from, &info, buffer, GST_MAP_READ)) {
      if (gst_video_frame_map(&to, &info, made, GST_MAP_WRITE)) {
        gst_video_frame_copy(&to, &from);
        gst_video_frame_unmap(&to);
      }
      gst_video_frame_unmap(&from);
    }
    if (layout.reads_on > 0) keep(made, number, caps.get());
    gst_buffer_unref(buffer);
    GST_PAD_PROBE_INFO_DATA(probe) = made;
    return GST_PAD_PROBE_OK;
  }
};

// What comes out behind boxrules.
struct Seen {
  std::vector<guint64> decoded, pictures;
  std::vector<std::string> tracks, messages;
  std::string error;
};

GstPadProbeReturn on_result(GstPad *pad, GstPadProbeInfo *probe, gpointer user) {
  auto &seen = *static_cast<Seen *>(user);
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER(probe);
  const CapsPtr caps(gst_pad_get_current_caps(pad));
  seen.pictures.push_back(number_of(buffer, caps.get()));
  std::vector<TrackOnFrame> tracks;
  tracks_on(buffer, tracks);
  std::string words;
  for (const TrackOnFrame &t : tracks) {
    char line[160];
    std::snprintf(line, sizeof line, "%llu at %g %g %g %g, %g pixels; ",
                  static_cast<unsigned long long>(t.object.id), t.object.box.x, t.object.box.y,
                  t.object.box.width, t.object.box.height, t.area);
    words += line;
  }
  seen.tracks.push_back(words);
  return GST_PAD_PROBE_OK;
}

GstBusSyncReply on_message(GstBus *, GstMessage *m, gpointer user) {
  if (GST_MESSAGE_TYPE(m) != GST_MESSAGE_ELEMENT) return GST_BUS_PASS;
  const TextPtr words(gst_structure_to_string(gst_message_get_structure(m)));
  static_cast<Seen *>(user)->messages.push_back(words.get());
  return GST_BUS_PASS;
}

void probe(GstElement *pipeline, const char *element, const char *pad, GstPadProbeCallback call, void *user) {
  const ObjectPtr<GstElement> found(gst_bin_get_by_name(GST_BIN(pipeline), element));
  const ObjectPtr<GstPad> at(gst_element_get_static_pad(found.get(), pad));
  gst_pad_add_probe(at.get(), GST_PAD_PROBE_TYPE_BUFFER, call, user, nullptr);
}

// Why the pipeline stopped; empty at the end of the stream.
std::string play(GstElement *pipeline) {
  const ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline));
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  const MessagePtr last(gst_bus_timed_pop_filtered(
      bus.get(), 120 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  gst_element_set_state(pipeline, GST_STATE_NULL);
  if (!last) return "no end within 120 s";
  if (GST_MESSAGE_TYPE(last.get()) != GST_MESSAGE_ERROR) return {};
  GError *e = nullptr;
  gst_message_parse_error(last.get(), &e, nullptr);
  return ErrorPtr(e)->message;
}

ObjectPtr<GstElement> launch(const std::string &text, std::string &error) {
  GError *e = nullptr;
  ObjectPtr<GstElement> made(gst_parse_launch(text.c_str(), &e));
  if (e) error = ErrorPtr(e)->message;
  if (made) gst_object_ref_sink(made.get());
  return made;
}

Seen watch(const std::string &file, const Layout &layout, const std::string &output, bool draw) {
  Seen seen;
  const std::string name = layout.name + ", output=" + output;
  const auto pipeline =
      launch("filesrc location=\"" + file + "\" ! matroskademux ! h264parse ! " + layout.decoder +
                 " ! identity name=decoder ! cudamog backend=cpu output=" + output +
                 " ! boxtrack ! boxrules name=rules ! fakesink name=out "
                 "sync=false enable-last-sample=false",
             seen.error);
  if (!seen.error.empty()) return seen;
  const ObjectPtr<GstElement> engine(gst_bin_get_by_name(GST_BIN(pipeline.get()), "rules"));
  g_object_set(engine.get(), "rules", rules, "draw", gboolean(draw), nullptr);
  Surfaces surfaces{layout};
  probe(
      pipeline.get(), "decoder", "src",
      [](GstPad *pad, GstPadProbeInfo *info, gpointer user) {
        return static_cast<Surfaces *>(user)->take(pad, info);
      },
      &surfaces);
  probe(pipeline.get(), "out", "sink", on_result, &seen);
  const ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.get()));
  gst_bus_set_sync_handler(bus.get(), on_message, &seen, nullptr);
  seen.error = play(pipeline.get());
  seen.decoded = surfaces.pictures;
  expect(surfaces.takes_meta, name + ": the decoder must copy each frame, as GstVideoMeta is not taken");
  expect(!surfaces.crops, name + ": the decoder may leave its crop to the elements, which do not look at it");
  expect(surfaces.changed == 0, name + ": " + std::to_string(surfaces.changed) +
                                    " frames changed that the decoder was still reading");
  if (layout.reads_on == 0)
    expect(surfaces.most_outside <= surfaces.asked_for,
           name + ": " + std::to_string(surfaces.most_outside) + " surfaces are held, " +
               std::to_string(surfaces.asked_for) + " were asked for");
  surfaces.kept.clear();
  expect(surfaces.outside == 0, name + ": " + std::to_string(surfaces.outside) + " surfaces are lost");
  return seen;
}

template <class T>
void same(const std::vector<T> &found, const std::vector<T> &wanted, const std::string &what) {
  std::size_t at = 0;
  while (at < std::min(found.size(), wanted.size()) && found[at] == wanted[at]) at++;
  expect(at == found.size() && at == wanted.size(), what + ": " + std::to_string(found.size()) +
                                                        ", expected " + std::to_string(wanted.size()) +
                                                        ", and number " + std::to_string(at) + " differs");
}

const std::string libav = "avdec_h264 max-threads=2", as_nv12 = " ! videoconvert ! video/x-raw,format=NV12";

std::vector<Layout> layouts() {
  return {{"OpenH264", "openh264dec"},
          {"rows of 64 bytes", libav + as_nv12, 64},
          {"rows of 128 bytes, planes apart", libav + as_nv12, 128, true},
          {"rows of 256 bytes, still read", libav + as_nv12, 256, false, 16},
          {"OpenH264, rows of 64 bytes, planes apart, still read", "openh264dec", 64, true, 4}};
}

// A stream whose pictures are no whole macroblocks: decoders cut both edges.
std::string recorded(const std::filesystem::path &folder, const std::string &name,
                     const std::string &coding) {
  std::string error, file = (folder / (name + ".mkv")).string();
  const auto made = launch(
      "scenetestsrc quiet=1 scene=traffic num-buffers=" + std::to_string(frames) +
          " ! video/x-raw,format=I420,width=326,height=182,framerate=15/1 ! x264enc speed-preset=veryfast "
          "tune=zerolatency bitrate=600 key-int-max=30 " +
          coding + " ! h264parse ! matroskamux ! filesink location=\"" + file + "\"",
      error);
  if (error.empty()) error = play(made.get());
  expect(error.empty(), name + ": " + error);
  return file;
}

void decoders(const std::filesystem::path &folder, const std::string &name, const std::string &coding,
              const std::vector<std::string> &outputs, bool draw) {
  const std::string file = recorded(folder, name, coding);
  for (const std::string &output : outputs) {
    const Seen wanted = watch(file, {"libav", libav}, output, draw);
    expect(wanted.error.empty() && wanted.pictures.size() == frames,
           name + ": libav gives " + std::to_string(wanted.pictures.size()) + " pictures; " + wanted.error);
    std::size_t with_tracks = 0;
    for (const std::string &t : wanted.tracks) with_tracks += !t.empty();
    expect(with_tracks > frames / 4 && wanted.messages.size() > 20,
           name + ": only " + std::to_string(with_tracks) + " frames with tracks and " +
               std::to_string(wanted.messages.size()) + " messages");
    std::printf("%s, output=%s: %zu frames with tracks, %zu messages\n", name.c_str(), output.c_str(),
                with_tracks, wanted.messages.size());
    for (const Layout &layout : layouts()) {
      const Seen found = watch(file, layout, output, draw);
      const std::string what = name + ", " + layout.name + ", output=" + output + ": ";
      expect(found.error.empty(), what + found.error);
      same(found.decoded, wanted.decoded, what + "decoded pictures");
      same(found.pictures, wanted.pictures, what + "pictures that come out");
      same(found.tracks, wanted.tracks, what + "frames' tracks");
      same(found.messages, wanted.messages, what + "messages");
    }
  }
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  for (const char *needed : {"x264enc", "matroskamux", "avdec_h264", "openh264dec"})
    if (const ObjectPtr<GstElementFactory> f(gst_element_factory_find(needed)); !f) {
      std::printf("SKIPPED: GStreamer has no %s here\n", needed);
      return skipped;
    }
  const std::filesystem::path folder = std::filesystem::path(argc > 1 ? argv[1] : ".") / "decoders";
  std::filesystem::create_directories(folder);
  return run_cases(
      "decoders",
      {{"video range",
        [&] {
          decoders(folder, "video range", "", {"mask", "passthrough"}, false);
        }},
       {"full range", [&] {
          decoders(folder, "full range", "option-string=fullrange=on", {"overlay", "passthrough"}, true);
        }}});
}
