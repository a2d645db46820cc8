// SPDX-License-Identifier: LGPL-2.1-or-later
#include "render.h"

#include "burn_in.h"
#include "common/error.h"
#include "common/guarded.h"
#include "export_output.h"
#include "gst/video/gst_ptr.h"
#include "tools/base/mapped.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <optional>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

namespace vigil::monitor {
namespace {

bool there_is(const char *element) {
  return gst::ObjectPtr<GstElementFactory>(gst_element_factory_find(element)) != nullptr;
}

std::string encoder() {
  if (there_is("x264enc"))
    return "x264enc pass=qual quantizer=21 speed-preset=veryfast bframes=0 key-int-max=50 threads=2";
  if (there_is("openh264enc")) return "openh264enc rate-control=bitrate bitrate=6000000 gop-size=50";
  fail(Error::Kind::no_device,
       "there is no encoder for H.264; install x264enc (gstreamer1.0-plugins-ugly) or openh264enc "
       "(gstreamer1.0-plugins-bad), or export without burn_in and timelapse");
}

// What happens to decoded pictures.
class Pictures {
 public:
  explicit Pictures(const RenderOrder &order) : order_(order) {}

  static GstPadProbeReturn picture(GstPad *pad, GstPadProbeInfo *info, gpointer user) {
    auto &self = *static_cast<Pictures *>(user);
    GstBuffer *b = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_PAD_PROBE_INFO_DATA(info) = b;
    if (!GST_BUFFER_PTS_IS_VALID(b)) return GST_PAD_PROBE_OK;
    const GstClockTime time = GST_BUFFER_PTS(b);
    if (self.order_.timelapse > 0) {
      const auto faster = self.faster(time);
      if (!faster) return GST_PAD_PROBE_DROP;
      GST_BUFFER_PTS(b) = *faster;
      GST_BUFFER_DTS(b) = GST_CLOCK_TIME_NONE;
      GST_BUFFER_DURATION(b) = step;
    }
    if (self.order_.burn_in) self.draw(pad, b, time);
    return GST_PAD_PROBE_OK;
  }

  static GstPadProbeReturn key_frame(GstPad *, GstPadProbeInfo *info, gpointer) {
    const bool delta = GST_BUFFER_FLAG_IS_SET(GST_PAD_PROBE_INFO_BUFFER(info), GST_BUFFER_FLAG_DELTA_UNIT);
    return delta ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
  }

 private:
  static constexpr GstClockTime step = GST_SECOND / 25; // of a time lapse's pictures

  // The time of a picture in the time lapse; nothing when it is left out. Where nothing was recorded no time
  // passes.
  std::optional<GstClockTime> faster(GstClockTime time) {
    constexpr GstClockTime gap = 30 * GST_SECOND;
    if (last_ && time > *last_ && time - *last_ < gap)
      passed_ += time - *last_;
    else if (last_)
      passed_ += step * static_cast<GstClockTime>(order_.timelapse);
    last_ = time;
    const GstClockTime shown = passed_ / static_cast<GstClockTime>(order_.timelapse);
    if (shown < due_) return std::nullopt;
    due_ = shown - shown % step + step;
    return shown;
  }

  void draw(GstPad *pad, GstBuffer *b, GstClockTime time) {
    const gst::CapsPtr caps(gst_pad_get_current_caps(pad));
    GstVideoInfo video;
    if (!caps || !gst_video_info_from_caps(&video, caps.get()))
      fail(Error::Kind::bad_data, "a picture has no format, so it cannot be written on");
    tools::MappedFrame map(b, video, GST_MAP_READWRITE);
    if (!map) fail(Error::Kind::bad_data, "a picture cannot be written on");
    const GstVideoFrame &f = map.get();
    const auto plane = [&](guint n) {
      return Plane{static_cast<std::uint8_t *>(GST_VIDEO_FRAME_COMP_DATA(&f, n)),
                   static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_STRIDE(&f, n)),
                   GST_VIDEO_FRAME_COMP_WIDTH(&f, n), GST_VIDEO_FRAME_COMP_HEIGHT(&f, n)};
    };
    burn_in(burn_in_time(order_.start + static_cast<std::int64_t>(time / GST_USECOND)), plane(0), plane(1),
            plane(2));
  }

  const RenderOrder order_;
  std::optional<GstClockTime> last_;
  GstClockTime passed_ = 0, due_ = 0;
};

void probe(GstElement *pipeline, const char *element, const char *pad, GstPadProbeCallback what,
           Pictures &user) {
  const gst::ObjectPtr<GstElement> e(gst_bin_get_by_name(GST_BIN(pipeline), element));
  const gst::ObjectPtr<GstPad> p(gst_element_get_static_pad(e.get(), pad));
  // `what` is guarded where it is given
  gst_pad_add_probe(p.get(), GST_PAD_PROBE_TYPE_BUFFER, what, &user, nullptr);
}

void run(const RenderOrder &order, const std::string &file) {
  constexpr const char *long_queue = "queue max-size-buffers=0 max-size-time=0 max-size-bytes=268435456";
  std::string words =
      text("fdsrc fd=0 blocksize=65536 ! qtdemux name=demux demux.video_0 ! queue name=coded ! decodebin ! "
           "videoconvert ! capsfilter name=raw caps=video/x-raw,format=I420 ! ",
           encoder(), " ! h264parse ! ", long_queue, " ! mp4mux name=mux ! filesink name=file ");
  if (!order.sound.empty() && order.timelapse == 0)
    words += text("demux.audio_0 ! ", long_queue, " ! ", order.sound, " ! mux.");
  GError *error = nullptr;
  const gst::ObjectPtr<GstElement> pipeline(gst_parse_launch(words.c_str(), &error));
  const gst::ErrorPtr why(error);
  if (!pipeline || why) fail(Error::Kind::no_device, why ? why->message : "no pipeline");
  const gst::ObjectPtr<GstElement> out(gst_bin_get_by_name(GST_BIN(pipeline.get()), "file"));
  g_object_set(out.get(), "location", file.c_str(), nullptr);
  Pictures pictures(order);
  probe(pipeline.get(), "raw", "src", guarded<Pictures::picture, GST_PAD_PROBE_OK>, pictures);
  if (order.keys_only)
    probe(pipeline.get(), "coded", "sink", guarded<Pictures::key_frame, GST_PAD_PROBE_OK>, pictures);
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.get()));
  const gst::MessagePtr end(gst_bus_timed_pop_filtered(
      bus.get(), GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_ERROR | GST_MESSAGE_EOS)));
  std::string failure;
  if (end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_ERROR) {
    gchar *details = nullptr;
    gst_message_parse_error(end.get(), &error, &details);
    const gst::ErrorPtr message(error);
    const gst::TextPtr more(details);
    failure = text(message->message, more ? " " : "", more ? more.get() : "");
  }
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  if (!failure.empty()) fail(Error::Kind::bad_data, failure);
}

} // namespace

int render_export(int argc, char **argv) {
  constexpr int words = 9;
  if (argc != words) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody would remove what it writes
  if (std::to_string(getppid()) != argv[8]) return 1;
  std::signal(SIGINT, SIG_IGN); // the parent decides
  std::signal(SIGTERM, SIG_IGN);
  constexpr unsigned first_foreign = 3;
  close_range(first_foreign, ~0U, 0);
  RenderOrder order;
  order.start = std::strtoll(argv[3], nullptr, 10);
  order.burn_in = argv[4][0] == '1';
  order.timelapse = std::atoi(argv[5]);
  order.keys_only = argv[6][0] == '1';
  order.sound = argv[7];
  try {
    gst_init(nullptr, nullptr);
    run(order, argv[2]);
    return 0;
  } catch (const std::exception &e) {
    std::printf("%s\n", e.what());
    return 1;
  }
}

} // namespace vigil::monitor
