// SPDX-License-Identifier: LGPL-2.1-or-later
#include "watch.h"

#include "common/error.h"
#include "reading.h"

#include <algorithm>

namespace vigil::scan {

namespace {

using tools::Pipeline;

class Turn {
 public:
  explicit Turn(std::counting_semaphore<> &s) : semaphore_(s) { semaphore_.acquire(); }
  ~Turn() { semaphore_.release(); }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

 private:
  std::counting_semaphore<> &semaphore_;
};

// What GStreamer reports while a file is read is the file's fault: the chain was tried before.
template <class F>
auto of_file(const std::string &path, F f) {
  try {
    return f();
  } catch (const Error &e) {
    using Kind = Error::Kind;
    if (e.kind() == Kind::bad_setting || e.kind() == Kind::no_device || e.kind() == Kind::no_memory) throw;
    fail(Kind::bad_data, path, " cannot be read: ", e.what());
  }
}

} // namespace

namespace {

Findings watch(const std::string &path, const Part &part, const Chain &chain, tools::SharedContexts &contexts,
               Turns &turns, bool strict) {
  Listener listener(part, chain.model.empty() ? 0 : chain.vectors_every);
  Time duration = 0;
  bool ended = false;
  std::string damage;
  {
    Reading reading("decodebin", path, chain.elements, chain.model, &listener, &contexts);
    if (strict) reading.be_strict();
    {
      const Turn turn(turns.open);
      reading.open();
    }
    duration = reading.duration();
    const Turn turn(turns.watch);
    reading.run(part.begin > chain.warm_up ? part.begin - chain.warm_up : 0);
    ended = reading.reached_end();
    damage = reading.damage();
  }
  if (!damage.empty() && !strict) return watch(path, part, chain, contexts, turns, true);
  // Sound may be a little longer than the pictures, and the last picture is shown for a while.
  const Time tolerance = std::max(2 * second, 2 * listener.mean_step());
  Findings f = listener.take();
  if (f.frames == 0 && part.begin == 0) fail(Error::Kind::bad_data, "no frame of it could be decoded");
  if (const Time should = std::min(duration, part.end); ended && f.last + tolerance < should)
    f.broken_off = text("frames end at ", double(f.last) / double(second), " s of ",
                        double(should) / double(second), " s");
  if (!damage.empty()) f.broken_off = damage;
  return f;
}

} // namespace

Findings watch(const std::string &path, const Part &part, const Chain &chain, tools::SharedContexts &contexts,
               Turns &turns) {
  return of_file(path, [&] { return watch(path, part, chain, contexts, turns, false); });
}

Time duration_of(const std::string &path, tools::SharedContexts &contexts, Turns &turns) {
  const auto ask = [&](const char *opener) {
    Reading reading(opener, path, "", "", nullptr, &contexts);
    reading.open();
    return reading.duration();
  };
  // To make a decoder on a GPU takes up to half a second, and most containers know without.
  try {
    if (const Time d = of_file(path, [&] { return ask("parsebin"); })) return d;
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::bad_data) throw;
  }
  const Turn turn(turns.open);
  return of_file(path, [&] { return ask("decodebin"); });
}

std::vector<float> vector_at(const std::string &path, Time time, const std::string &model) {
  return of_file(path, [&] {
    Listener listener = Listener::of_one_frame(time);
    {
      Reading reading("decodebin", path, "", model, &listener);
      reading.open();
      reading.run(time);
    }
    Findings f = listener.take();
    if (f.vectors.empty())
      fail(Error::Kind::bad_data, "it has no frame at ", double(time) / double(second), " s");
    return std::move(f.vectors.front().values);
  });
}

namespace {

// On pictures of any size.
void try_chain(const Chain &chain, tools::SharedContexts &contexts) {
  Pipeline pipeline;
  const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.element()));
  gst_bus_set_sync_handler(
      bus.get(),
      [](GstBus *, GstMessage *m, gpointer user) {
        if (!static_cast<tools::SharedContexts *>(user)->handle(m)) return GST_BUS_PASS;
        gst_message_unref(m);
        return GST_BUS_DROP;
      },
      &contexts, nullptr);
  GstElement *source = pipeline.add(tools::make_element("videotestsrc"));
  GstElement *elements = pipeline.add(parse_chain(chain.elements));
  GstElement *sink = pipeline.add(tools::make_element("fakesink"));
  g_object_set(source, "num-buffers", 2, nullptr);
  tools::link({source, elements});
  if (chain.model.empty())
    tools::link({elements, sink});
  else
    tools::link({elements, pipeline.add(make_fisher(chain.model)), sink});
  try {
    pipeline.play();
    while (!pipeline.ended()) pipeline.work_off_messages(100 * GST_MSECOND);
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::device) throw;
    fail(Error::Kind::bad_setting, "the chain cannot run: ", e.what());
  }
}

// On the first frame of a file. True when it went through.
bool try_chain_on(const std::string &path, const Chain &chain, tools::SharedContexts &contexts,
                  std::string &reason) {
  try {
    Listener listener = Listener::of_one_frame(0);
    Reading reading("decodebin", path, chain.elements, chain.model, &listener, &contexts);
    reading.open();
    reading.run(0);
    if (listener.frames_seen() > 0) return true;
    reason = text(path, " gives no frame");
  } catch (const Error &e) {
    reason = text("on ", path, ": ", e.what());
  }
  return false;
}

} // namespace

// A chain may fit pictures of one size alone, as one with a mask does. So what fails on pictures that are
// drawn is tried on the files, until one goes through.
void check_chain(const Chain &chain, tools::SharedContexts &contexts, const std::vector<std::string> &paths) {
  try {
    return try_chain(chain, contexts);
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::bad_setting || paths.empty()) throw;
    const gst::ObjectPtr<GstElement> is_a_chain(
        GST_ELEMENT(gst_object_ref_sink(parse_chain(chain.elements))));
    constexpr std::size_t most = 20; // each costs the time to open it
    std::string reason;
    for (std::size_t i = 0; i < std::min(most, paths.size()); i++)
      if (try_chain_on(paths[i], chain, contexts, reason)) return;
    fail(Error::Kind::bad_setting, e.what(), "; and ", reason);
  }
}

} // namespace vigil::scan
