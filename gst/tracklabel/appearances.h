// SPDX-License-Identifier: LGPL-2.1-or-later
// What tracks look like: a codebook, and the moments at which pictures are cut out of frames for it.
#pragma once

#include "gst/metadata/track_meta.h"
#include "gst/transform/any_frames.h"
#include "kernels/label/best_moments.h"
#include "kernels/label/picture_encoder.h"

#include <gst/gst.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace vigil::gst::tracklabel {

struct Codebook {
  Codebook(std::string i, const fisher::Model &model) : id(std::move(i)), encoder(model) {}
  const std::string id; // begin of the SHA-256 of its file, as examples have it
  label::PictureEncoder encoder;
};
// Null for an empty location. Throws Error::io, Error::bad_data.
std::shared_ptr<Codebook> load_codebook(const std::string &location);

// A track that may be looked at on this frame.
struct Sight {
  const TrackOnFrame *track;
  label::BestMoments *moments;
};

// The streaming thread alone uses it.
class Appearances {
 public:
  // Frames of other caps come: perhaps these can be read.
  void begin() { blind_ = false; }
  // Takes pictures of those tracks that show themselves well, of at most `most_pictures` of them, and leaves
  // what the codebook says of them with their moments. Returns how many. Frames that cannot be read are a
  // warning, once.
  std::size_t look(GstElement *, GstBuffer *, const StreamPosition &, Codebook &, std::vector<Sight>,
                   std::size_t most_views, std::size_t most_pictures);

 private:
  bool blind_ = false;
};

} // namespace vigil::gst::tracklabel
