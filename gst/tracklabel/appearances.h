// SPDX-License-Identifier: LGPL-2.1-or-later
// What tracks look like: a codebook, and the moments at which pictures are cut out of frames for it.
#pragma once

#include "common/params.h"
#include "gst/metadata/track_meta.h"
#include "gst/transform/any_frames.h"
#include "kernels/label/best_moments.h"
#include "kernels/label/picture_encoder.h"

#include <functional>
#include <gst/gst.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vigil::gst::tracklabel {

// How tracks are looked at, from one start of the element to the next.
struct Looking {
  float background_weight = 1;
  bool operator==(const Looking &) const = default;
};
inline constexpr auto looking_table = std::tuple{
    param("background-weight", "Background weight",
          "With a codebook: weight of what is outside of the object's mask in the picture of a track, which "
          "frames must carry then (cudamog attach-mask=true). 1: masks are not considered",
          &Looking::background_weight, 0.f, 1.f),
};

struct Codebook {
  const std::string id; // as examples have it
  const float background;
  label::PictureEncoder encoder;
};
// Begin of the SHA-256 of the codebook's file. With a weight of the background that follows, since vectors of
// two weights have nothing in common.
std::string codebook_id(const std::string &hash, float background);
// Null for an empty location. `device` gives where it works, null for a thread of the CPU. Throws Error::io,
// Error::bad_data, and what `device` throws.
std::shared_ptr<Codebook> load_codebook(const std::string &location, const Looking &,
                                        const std::function<std::unique_ptr<Device>()> &device);

// A track that may be looked at on this frame.
struct Sight {
  const TrackOnFrame *track;
  label::BestMoments *moments;
};

// The streaming thread alone uses it.
class Appearances {
 public:
  // Frames of other caps come: perhaps these can be read.
  void begin() { blind_ = warned_of_no_mask_ = false; }
  // Takes pictures of those tracks that show themselves well, of at most `most_pictures` of them, and leaves
  // what the codebook says of them with their moments. Returns how many. Frames that cannot be read are a
  // warning, once; so are those without a mask where the background counts less, which are passed over.
  std::size_t look(GstElement *, GstBuffer *, const StreamPosition &, Codebook &, std::vector<Sight>,
                   std::size_t most_views, std::size_t most_pictures);

 private:
  bool blind_ = false, warned_of_no_mask_ = false;
};

} // namespace vigil::gst::tracklabel
