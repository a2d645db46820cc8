// SPDX-License-Identifier: LGPL-2.1-or-later
// gst/memory/gl_context.h and what is done on the threads of contexts, between neighbours and applications
// that give contexts, take them away and ask for them at any moment.
#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API // for GstTracer
#endif
#include "gst/memory/gl_context.h"
#include "common/error.h"
#include "gst/memory/gl_texture.h"
#include "tests/elements/fixture.h"

#include <atomic>
#include <chrono>
#include <gst/gsttracer.h>
#include <memory>
#include <string>
#include <thread>

namespace vigil::test {
namespace {

using gst::GlContext;
using gst::ObjectPtr;

// A display as applications and neighbours offer it.
struct Offer {
  Offer() : context(gst_context_new(GST_GL_DISPLAY_CONTEXT_TYPE, TRUE)) {
    const ObjectPtr<GstGLDisplay> display(gst_gl_display_new());
    gst_context_set_gl_display(context, display.get());
  }
  ~Offer() { gst_context_unref(context); }
  Offer(const Offer &) = delete;
  Offer &operator=(const Offer &) = delete;
  GstContext *context;
};

ObjectPtr<GstElement> owner() {
  return ObjectPtr<GstElement>(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("identity", nullptr))));
}

} // namespace

// A context may be taken away by another thread at any moment: a caller that gets it has a reference of its
// own. Here it is taken away in the very moment in which that reference is made, unless a lock is held.
namespace {

GlContext *taken_from = nullptr;
const GstGLContext *watched = nullptr;
int takings = 0;
std::atomic<bool> taken = false;

void before_a_reference_is_made(GObject *, GstClockTime, GstObject *object, gint) {
  if (gpointer(object) != watched) return;
  watched = nullptr;
  taken = false;
  std::thread taker([] {
    taken_from->close();
    taken = true;
  });
  for (int i = 0; i < 50 && !taken; i++) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  takings++;
  taker.detach(); // it ends once the lock is open
}

} // namespace

GST_START_TEST(a_context_may_be_taken_away) {
  const ObjectPtr<GstElement> element = owner();
  GlContext gl(element.get());
  taken_from = &gl;
  GstTracer *tracer = GST_TRACER(gst_object_ref_sink(g_object_new(
      g_type_register_static_simple(GST_TYPE_TRACER, "VigilTestTracer", sizeof(GstTracerClass), nullptr,
                                    sizeof(GstTracer), nullptr, static_cast<GTypeFlags>(0)),
      nullptr)));
  gst_tracing_register_hook(tracer, "object-reffed", G_CALLBACK(before_a_reference_is_made));
  for (int i = 0; i < 3; i++) {
    watched = gl.use().get(); // which only the element has now
    fail_unless(G_OBJECT(watched)->ref_count == 1, "%u owners", G_OBJECT(watched)->ref_count);
    const ObjectPtr<GstGLContext> context = gl.use();
    fail_unless_equals_int(takings, i + 1);
    fail_unless(GST_IS_GL_CONTEXT(context.get()));
    // The context was taken before or after use() put it back: both are an order that may be.
    while (!taken) std::this_thread::yield();
  }
  gst_object_unref(tracer);
}
GST_END_TEST

// An object that goes may run code of others, here a weak reference's, which asks for what there is now.
GST_START_TEST(who_hears_of_a_context_that_goes_may_ask) {
  const ObjectPtr<GstElement> element = owner();
  GlContext gl(element.get());
  struct Ask {
    GlContext &gl;
    int times = 0;
  } ask{gl};
  const auto asks = [](gpointer data, GObject *) {
    auto *a = static_cast<Ask *>(data);
    GstQuery *query = gst_query_new_context(GST_GL_DISPLAY_CONTEXT_TYPE);
    a->gl.answer(query);
    gst_query_unref(query);
    a->times++;
  };
  const auto use = [&] {
    const ObjectPtr<GstGLContext> context = gl.use();
    g_object_weak_ref(G_OBJECT(context.get()), asks, &ask);
  };
  use();
  {
    const Offer other;
    gl.offered(other.context); // of another display
  }
  fail_unless_equals_int(ask.times, 1);
  use();
  const Offer other;
  ObjectPtr<GstGLContext> theirs;
  {
    GlContext neighbour(element.get());
    neighbour.offered(other.context);
    theirs = neighbour.use();
  }
  gl.follow(theirs.get());
  fail_unless_equals_int(ask.times, 2);
  theirs.reset();
  gl.close();
  use();
  gl.close();
  fail_unless_equals_int(ask.times, 3);
}
GST_END_TEST

namespace {

// A context of the application's, whose thread takes no work of others.
ObjectPtr<GstGLContext> wrapped_context() {
  const ObjectPtr<GstGLDisplay> display(gst_gl_display_new());
  return ObjectPtr<GstGLContext>(
      gst_gl_context_new_wrapped(display.get(), 1, GST_GL_PLATFORM_EGL, GST_GL_API_OPENGL3));
}

// A memory that says it is a texture of a context, and has nothing behind it.
class Memory {
 public:
  explicit Memory(GstGLContext *context) : context_(gst::share(context)) {
    base_ = g_new0(GstGLBaseMemory, 1);
    gst_memory_init(GST_MEMORY_CAST(base_), static_cast<GstMemoryFlags>(0), allocator(), nullptr, 4, 0, 0, 4);
    base_->context = context;
  }
  ~Memory() { gst_memory_unref(get()); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  GstMemory *get() { return GST_MEMORY_CAST(base_); }

 private:
  static GstAllocator *allocator() {
    static GstAllocator *const one = [] {
      auto *a = GST_ALLOCATOR(g_object_new(type(), nullptr));
      gst_object_ref_sink(a);
      return a;
    }();
    return one;
  }
  static GType type() {
    static const GType t = g_type_register_static_simple(
        GST_TYPE_ALLOCATOR, "VigilTestAllocator", sizeof(GstAllocatorClass),
        [](gpointer klass, gpointer) {
          GST_ALLOCATOR_CLASS(klass)->free = [](GstAllocator *, GstMemory *m) { g_free(m); };
        },
        sizeof(GstAllocator), nullptr, static_cast<GTypeFlags>(0));
    return t;
  }
  ObjectPtr<GstGLContext> context_;
  GstGLBaseMemory *base_;
};

// What is made of a texture: tells on which thread it goes.
struct Thing {
  explicit Thing(GThread *&thread) : went_on(thread) {}
  ~Thing() { went_on = g_thread_self(); }
  Thing(const Thing &) = delete;
  Thing &operator=(const Thing &) = delete;
  GThread *&went_on;
};

} // namespace

GST_START_TEST(what_is_kept_goes_on_the_contexts_thread) {
  const ObjectPtr<GstElement> element = owner();
  GlContext gl(element.get());
  const ObjectPtr<GstGLContext> context = gl.use();
  GThread *went_on = nullptr;
  {
    Memory memory(context.get());
    gst::on_thread_of(context.get(), [&] {
      gst::kept_with<Thing>(
          memory.get(), g_quark_from_static_string("vigil-test"), [](const Thing &) { return true; },
          [&] { return std::make_unique<Thing>(went_on); });
    });
    fail_unless(went_on == nullptr);
  }
  GThread *thread = gst_gl_context_get_thread(context.get());
  fail_unless(went_on == thread, "it went on another thread");
  g_thread_unref(thread);
}
GST_END_TEST

// Where that thread takes no work, nothing is done on another one, and nothing is thrown through GStreamer.
GST_START_TEST(what_is_kept_stays_where_the_thread_takes_no_work) {
  const ObjectPtr<GstGLContext> context = wrapped_context();
  GThread *went_on = nullptr;
  {
    Memory memory(context.get());
    gst::kept_with<Thing>(
        memory.get(), g_quark_from_static_string("vigil-test"), [](const Thing &) { return true; },
        [&] { return std::make_unique<Thing>(went_on); });
    _gst_check_expecting_log = TRUE; // libgstgl says that it is not the context's thread
  }
  _gst_check_expecting_log = FALSE;
  fail_unless(went_on == nullptr, "it went on a thread that is not the context's");
}
GST_END_TEST

GST_START_TEST(work_that_no_thread_takes_is_an_error) {
  const ObjectPtr<GstGLContext> context = wrapped_context();
  std::string words;
  _gst_check_expecting_log = TRUE;
  try {
    gst::on_thread_of(context.get(), [] {});
  } catch (const Error &e) {
    words = e.what();
  }
  _gst_check_expecting_log = FALSE;
  fail_unless(words.find("takes no work") != std::string::npos, "\"%s\"", words.c_str());
}
GST_END_TEST

namespace {

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  Suite *suite = suite_create("gl-context");
  TCase *tests = tcase_create("contexts");
  tcase_set_timeout(tests, 120);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, a_context_may_be_taken_away);
  tcase_add_test(tests, who_hears_of_a_context_that_goes_may_ask);
  tcase_add_test(tests, what_is_kept_goes_on_the_contexts_thread);
  tcase_add_test(tests, what_is_kept_stays_where_the_thread_takes_no_work);
  tcase_add_test(tests, work_that_no_thread_takes_is_an_error);
  return run(suite, argc, argv);
}

} // namespace
} // namespace vigil::test

int main(int argc, char **argv) {
  return vigil::test::main(argc, argv);
}
