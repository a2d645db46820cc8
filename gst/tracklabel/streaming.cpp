// SPDX-License-Identifier: LGPL-2.1-or-later
// Tracks in, names out.
#include "common/file.h"
#include "gst/errors.h"
#include "gst/tracklabel/element.h"
#include "kernels/label/examples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace vigil::gst::tracklabel {
namespace {

GstStructure *describe(const label::Features &features) {
  GstStructure *s = gst_structure_new_empty("features");
  for (std::size_t i = 0; i < label::feature_count; i++)
    if (std::isfinite(features[i]))
      gst_structure_set(s, label::name_of(static_cast<label::Feature>(i)), G_TYPE_DOUBLE, double{features[i]},
                        nullptr);
  return s;
}

void post(GstElement *element, guint64 id, const Subject &subject, const label::Features &features,
          const FrameTime &time, bool ended) {
  GstStructure *s = new_timed_structure("track-label", time);
  const auto lasted = subject.views.last_seconds() - subject.first_seen;
  gst_structure_set(s, "id", G_TYPE_UINT64, id, "label", G_TYPE_STRING, subject.verdict.label.c_str(),
                    "score", G_TYPE_DOUBLE, subject.verdict.score, "taught", G_TYPE_BOOLEAN,
                    gboolean(subject.verdict.by == NamedBy::examples), "by", G_TYPE_STRING,
                    subject.verdict.label.empty() ? "" : name_of(subject.verdict.by), "views", G_TYPE_UINT64,
                    guint64(subject.views.count()), "age", G_TYPE_UINT64,
                    guint64(std::max(0., lasted) * GST_SECOND), "ended", G_TYPE_BOOLEAN, gboolean(ended),
                    nullptr);
  GValue shape = G_VALUE_INIT;
  g_value_init(&shape, GST_TYPE_STRUCTURE);
  g_value_take_boxed(&shape, describe(features));
  gst_structure_take_value(s, "features", &shape);
  if (const std::vector<float> vector = subject.moments.appearance(); !vector.empty())
    set_appearance(s, {vector, impl_of(element).stream.in_use.codebook_id(), subject.moments.count()});
  gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), s));
}

// What fits best: a taught label, otherwise a detector's, otherwise the shape rule's. The label before keeps
// its place until another one is clearly better.
Verdict judge(const Impl &impl, const Tuning &tuning, const Subject &subject,
              const label::Features &features) {
  const Verdict &before = subject.verdict;
  constexpr double clearly = 0.1;
  std::vector<Verdict> all;
  for (const label::NameScore &n :
       impl.stream.in_use.taught->scores({features, subject.moments.appearance()}))
    all.push_back({n.name, n.score, NamedBy::examples});
  std::erase_if(all, [&](const Verdict &v) { return v.score < tuning.threshold; });
  if (const auto found = subject.votes.best(); all.empty() && found && found->score >= tuning.threshold)
    all.push_back({found->name, found->score, NamedBy::detector});
  if (all.empty() && tuning.shape_rule) {
    const label::ShapeScores scores = label::shape_scores(features);
    for (std::size_t i = 0; i < label::shape_count; i++)
      if (scores[i] >= tuning.threshold)
        all.push_back({label::name_of(static_cast<label::Shape>(i)), scores[i], NamedBy::shape});
  }
  if (all.empty()) return {};
  const auto less = [](const Verdict &a, const Verdict &b) { return a.score < b.score; };
  const auto best = std::max_element(all.begin(), all.end(), less);
  for (const Verdict &v : all)
    if (v.label == before.label && v.by == before.by && best->score < v.score + clearly) return v;
  return *best;
}

// Of few frames a second half as many views are enough, unless frames between them do not have it alone: what
// comes and goes, as shadows and parts of objects do, shows its shape late.
bool is_seen_enough(const Subject &subject, std::size_t least) {
  const std::size_t views = subject.views.count();
  constexpr double nearly_all = 0.75;
  return views >= least || (2 * views >= least && double(views) >= nearly_all * double(subject.frames));
}

void judge(GstElement *element, Impl &impl, const Tuning &tuning, guint64 id, Subject &subject,
           const FrameTime &time) {
  constexpr double interval = 0.5; // seconds
  if (!is_seen_enough(subject, static_cast<std::size_t>(tuning.min_views)) ||
      (subject.views.last_seconds() - subject.first_seen) * 1000 < tuning.min_time ||
      subject.seen < subject.judge_at)
    return;
  subject.judge_at = subject.seen + interval;
  const label::Features features = subject.views.features(impl.stream.scale);
  const Verdict now = judge(impl, tuning, subject, features);
  const bool first = !std::exchange(subject.decided, true);
  const bool changed = now.label != subject.verdict.label || now.by != subject.verdict.by;
  subject.verdict = now;
  if (!first && !changed) return;
  {
    const std::lock_guard lock(impl.mutex);
    (first ? impl.stats.decided : impl.stats.changed)++;
  }
  if (tuning.post_messages) post(element, id, subject, features, time, false);
}

void end(GstElement *element, Impl &impl, const Tuning &tuning, guint64 id, Subject &subject,
         const FrameTime &time) {
  if (subject.decided) {
    const label::Features features = subject.views.features(impl.stream.scale);
    subject.verdict = judge(impl, tuning, subject, features);
    if (tuning.post_messages) post(element, id, subject, features, time, true);
    subject.views.teach(impl.stream.scale);
    const std::lock_guard lock(impl.mutex);
    impl.learnt = {impl.stream.place.width, impl.stream.place.height, impl.stream.scale};
  }
  const std::lock_guard lock(impl.mutex);
  impl.stats.ended++;
  // Of all labels that ever were, the first: their number has no limit.
  constexpr std::size_t most_labels = 64;
  if (subject.decided &&
      (impl.stats.ended_as.size() < most_labels || impl.stats.ended_as.count(subject.verdict.label)))
    impl.stats.ended_as[subject.verdict.label]++;
}

void end_all(GstBaseTransform *trans, Impl &impl) {
  const Tuning tuning = impl.snapshot();
  for (auto &[id, subject] : std::exchange(impl.stream.subjects, {}))
    end(GST_ELEMENT(trans), impl, tuning, id, subject, impl.stream.place.last_time);
  const std::lock_guard lock(impl.mutex);
  impl.stats.current = 0;
}

void take_tracks(Impl &impl, GstBuffer *buffer) {
  impl.stream.tracks.clear();
  tracks_on(buffer, impl.stream.tracks);
  for (auto &[id, subject] : impl.stream.subjects) subject.frames++;
  for (const TrackOnFrame &t : impl.stream.tracks) {
    const auto [at, is_new] = impl.stream.subjects.try_emplace(t.object.id);
    Subject &subject = at->second;
    subject.seen = impl.stream.place.seconds;
    if (is_new) {
      subject.first_seen = impl.stream.place.seconds;
      subject.frames = 1;
    }
    if (t.object.state != track::State::tracked) continue;
    subject.views.add({impl.stream.place.seconds, t.object.box, t.area, t.spread.xx, t.spread.yy},
                      impl.stream.place.width, impl.stream.place.height);
  }
}

// What the action signal brought since the frame before.
void take_answers(Impl &impl) {
  std::vector<Answer> answers;
  {
    const std::lock_guard lock(impl.mutex);
    answers.swap(impl.answers);
  }
  for (const Answer &a : answers)
    if (const auto at = impl.stream.subjects.find(a.track); at != impl.stream.subjects.end()) {
      at->second.votes.add(a.label, a.score);
      at->second.judge_at = 0;
    }
}

// Each box of another detector speaks of the track that it lies on.
void take_detections(Impl &impl, GstBuffer *buffer) {
  constexpr double least_overlap = 0.3; // of the intersection over the union
  impl.stream.detections.clear();
  detections_on(buffer, impl.stream.detections);
  for (const DetectionOnFrame &d : impl.stream.detections) {
    double most = least_overlap;
    Subject *of = nullptr;
    for (const TrackOnFrame &t : impl.stream.tracks) {
      if (t.object.state != track::State::tracked) continue;
      const double overlap = track::iou(d.box, t.object.box);
      if (overlap < most) continue;
      most = overlap;
      of = &impl.stream.subjects[t.object.id];
    }
    if (of) of->votes.add(d.label, d.score);
  }
}

// The model of this frame. Vectors of two codebooks have nothing in common.
void take_model_in_use(Impl &impl) {
  const std::string before = impl.stream.in_use.codebook_id();
  {
    const std::lock_guard lock(impl.mutex);
    impl.stream.in_use = impl.model;
  }
  if (impl.stream.in_use.codebook_id() == before) return;
  for (auto &[id, subject] : impl.stream.subjects) subject.moments = {};
}

void look_at_tracks(GstElement *element, Impl &impl, const Tuning &tuning, GstBuffer *buffer) {
  if (!impl.stream.in_use.codebook) return;
  std::vector<Sight> sights;
  for (const TrackOnFrame &t : impl.stream.tracks)
    sights.push_back({&t, &impl.stream.subjects[t.object.id].moments});
  const std::size_t taken =
      impl.stream.appearances.look(element, buffer, impl.stream.place, *impl.stream.in_use.codebook,
                                   std::move(sights), static_cast<std::size_t>(tuning.most_pictures),
                                   static_cast<std::size_t>(tuning.most_pictures_of_frame));
  if (!taken) return;
  const std::lock_guard lock(impl.mutex);
  impl.stats.pictures += taken;
}

GstFlowReturn transform_ip(GstBaseTransform *trans, GstBuffer *buffer) {
  return guard(trans, GST_FLOW_ERROR, [&] {
    Impl &impl = impl_of(trans);
    const Tuning tuning = impl.snapshot();
    take_model_in_use(impl);
    const FrameTime time = frame_time(trans->segment, buffer);
    const double seconds = seconds_of(impl.stream.place.info, time, impl.stream.place.seconds);
    if (seconds < impl.stream.place.seconds) end_all(trans, impl); // the tracks' numbers are others now
    impl.stream.place.seconds = seconds;
    impl.stream.place.last_time = time;
    if (impl.stream.place.passes_by(buffer, time)) return GST_FLOW_OK;
    take_tracks(impl, buffer);
    take_answers(impl);
    if (tuning.detections) take_detections(impl, buffer);
    look_at_tracks(GST_ELEMENT(trans), impl, tuning, buffer);
    for (const TrackOnFrame &t : impl.stream.tracks) {
      Subject &subject = impl.stream.subjects[t.object.id];
      judge(GST_ELEMENT(trans), impl, tuning, t.object.id, subject, time);
      if (!subject.verdict.label.empty())
        add_track_name(
            buffer, t.object.id,
            {subject.verdict.label, subject.verdict.score, subject.verdict.by, subject.views.count()});
      if (std::vector<float> vector = subject.moments.appearance(); !vector.empty())
        add_track_appearance(buffer, t.object.id,
                             {std::move(vector), impl.stream.in_use.codebook_id(), subject.moments.count()});
    }
    for (auto it = impl.stream.subjects.begin(); it != impl.stream.subjects.end();) {
      if ((impl.stream.place.seconds - it->second.seen) * 1000 <= tuning.forget_after) {
        ++it;
        continue;
      }
      end(GST_ELEMENT(trans), impl, tuning, it->first, it->second, time);
      it = impl.stream.subjects.erase(it);
    }
    const std::lock_guard lock(impl.mutex);
    impl.stats.frames++;
    impl.stats.current = impl.stream.subjects.size();
    return GST_FLOW_OK;
  });
}

gboolean set_caps(GstBaseTransform *trans, GstCaps *in, GstCaps *) {
  Impl &impl = impl_of(trans);
  impl.stream.appearances.begin();
  if (!impl.stream.place.set_caps(in)) return TRUE;
  // Places and sizes in pictures of another size say nothing of this one.
  return guard(trans, FALSE, [&] {
    end_all(trans, impl);
    const std::lock_guard lock(impl.mutex);
    const auto known = std::exchange(impl.remembered, std::nullopt);
    const bool same =
        known && known->width == impl.stream.place.width && known->height == impl.stream.place.height;
    impl.stream.scale = same ? known->scale : label::PlaceScale();
    impl.learnt = {impl.stream.place.width, impl.stream.place.height, impl.stream.scale};
    return TRUE;
  });
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS || GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP)
    guard(trans, false, [&] {
      end_all(trans, impl_of(trans));
      return true;
    });
  return parent_class()->sink_event(trans, event);
}

// Elements of many cameras use the same file: it is learnt from once.
Taught load_classifier(const std::string &location, const std::string &codebook) {
  if (location.empty()) return Model().taught;
  const std::string text = read_text_file(location, "the file of labels", label::largest_examples_file);
  static std::mutex mutex;
  using File = std::pair<std::string, std::string>; // and the codebook
  static std::map<File, std::pair<std::string, std::weak_ptr<const label::Classifier>>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto &k) { return k.second.second.expired(); });
  if (const auto found = known.find({location, codebook});
      found != known.end() && found->second.first == text)
    if (Taught same = found->second.second.lock()) return same;
  auto taught = std::make_shared<const label::Classifier>(
      label::examples_of(label::read_examples(text), codebook), !codebook.empty());
  known[{location, codebook}] = {text, taught};
  return taught;
}

} // namespace

Model load_model(GstElement *element, Impl &impl, const Settings &settings, const Model &before) {
  Model model;
  model.codebook = load_codebook(settings.codebook_location, settings.looking, [&] {
    return open_chosen_device(element, impl.cuda, settings.where.backend, settings.where.device_id);
  });
  if (model.codebook_id() == before.codebook_id()) model.codebook = before.codebook;
  model.taught = load_classifier(settings.model_location, model.codebook_id());
  return model;
}

void install_streaming(GstBaseTransformClass *transform) {
  pass_any_frames(transform);
  transform->transform_ip = transform_ip;
  transform->set_caps = set_caps;
  transform->sink_event = sink_event;
}

} // namespace vigil::gst::tracklabel
