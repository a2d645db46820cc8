// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/tracklabel/appearances.h"

#include "common/error.h"
#include "common/file.h"
#include "gst/errors.h"
#include "gst/metadata/mask_meta.h"
#include "gst/video/formats.h"
#include "kernels/fisher/model_file.h"
#include "kernels/label/picture.h"

#include <algorithm>

namespace vigil::gst::tracklabel {
namespace {

// A frame in the memory of the host, or copied to it, until the end of its block.
struct HostFrame {
  HostFrame(const GstVideoInfo &info, GstBuffer *buffer) { map_frame(frame, info, buffer, GST_MAP_READ); }
  ~HostFrame() { gst_video_frame_unmap(&frame); }
  HostFrame(const HostFrame &) = delete;
  HostFrame &operator=(const HostFrame &) = delete;
  GstVideoFrame frame;
};

double longer_side(const TrackOnFrame &t) {
  return std::max(t.object.box.width, t.object.box.height);
}

// Whole, and no other track's box is before a tenth of it.
bool is_in_full_view(const TrackOnFrame &t, const std::vector<Sight> &all, const StreamPosition &place) {
  const track::Box &box = t.object.box;
  constexpr double border = 1, hidden = 0.1;
  if (t.object.state != track::State::tracked || box.x < border || box.y < border ||
      box.x + box.width > place.width - border || box.y + box.height > place.height - border)
    return false;
  return std::none_of(all.begin(), all.end(), [&](const Sight &s) {
    return s.track != &t && track::intersection(s.track->object.box, box) > hidden * track::area(box);
  });
}

} // namespace

std::string codebook_id(const std::string &hash, float background) {
  constexpr std::size_t enough = 16; // digits of the hash
  const std::string id = hash.substr(0, enough);
  return background < 1 ? text(id, "/", background) : id;
}

std::shared_ptr<Codebook> load_codebook(const std::string &location, const Looking &looking,
                                        const std::function<std::unique_ptr<Device>()> &device) {
  if (location.empty()) return nullptr;
  constexpr std::size_t largest = std::size_t{64} << 20; // vigil-monitor's, too
  const auto bytes = read_plain_file(location, "the codebook of labels", 0, [](auto) { return largest; });
  try {
    const fisher::Model model = fisher::parse_model(bytes);
    gchar *hash = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes.data(), bytes.size());
    const std::string id = codebook_id(hash, looking.background_weight);
    g_free(hash);
    return std::shared_ptr<Codebook>(
        new Codebook{id, looking.background_weight, label::PictureEncoder(model, device())});
  } catch (const Error &e) {
    fail(Error::Kind::bad_data, location, ": ", e.what());
  }
}

std::size_t Appearances::look(GstElement *element, GstBuffer *buffer, const StreamPosition &place,
                              Codebook &codebook, std::vector<Sight> tracks, std::size_t most_views,
                              std::size_t most_pictures) {
  if (blind_ || most_pictures == 0) return 0;
  std::vector<Sight> wanted;
  for (const Sight &s : tracks)
    if (s.moments->wants(place.seconds, longer_side(*s.track), most_views) &&
        is_in_full_view(*s.track, tracks, place))
      wanted.push_back(s);
  if (wanted.empty()) return 0;
  // Those that nothing is known of come first.
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const Sight &a, const Sight &b) { return a.moments->count() < b.moments->count(); });
  if (wanted.size() > most_pictures) wanted.resize(most_pictures);
  try {
    if (GST_VIDEO_INFO_FORMAT(&place.info) == GST_VIDEO_FORMAT_UNKNOWN)
      fail(Error::Kind::bad_setting, "frames are not raw video, so what tracks look like is not known; put "
                                     "tracklabel before the encoder, or set no codebook-location");
    const HostFrame mapped(place.info, buffer);
    const ConstImage frame = image_of(mapped.frame);
    std::vector<label::Look> looks(wanted.size());
    if (codebook.background < 1) {
      const AttachedMask attached(buffer);
      const Plane<const std::uint8_t> mask = attached.of_size(frame.width, frame.height);
      if (!mask.data) {
        if (!std::exchange(warned_of_no_mask_, true))
          post_warning(element, Error(Error::Kind::bad_setting,
                                      "background-weight is below 1, but the frames carry no mask of their "
                                      "size, so tracks are not looked at; set attach-mask=true of cudamog"));
        return 0;
      }
      for (std::size_t i = 0; i < wanted.size(); i++)
        looks[i].silhouette = label::silhouette_around(mask, wanted[i].track->object.box);
    }
    for (std::size_t i = 0; i < wanted.size(); i++)
      if (codebook.background == 1 || label::shows_something(looks[i].silhouette))
        looks[i].picture = label::picture_around(frame, wanted[i].track->object.box);
    auto found = codebook.encoder.appearances(looks, codebook.background);
    for (std::size_t i = 0; i < wanted.size(); i++)
      wanted[i].moments->add(place.seconds, longer_side(*wanted[i].track), label::sharpness(looks[i].picture),
                             std::move(found[i]), most_views);
  } catch (const Error &e) {
    blind_ = true;
    post_warning(element, e);
    return 0;
  }
  return wanted.size();
}

} // namespace vigil::gst::tracklabel
