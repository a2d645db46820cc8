// SPDX-License-Identifier: LGPL-2.1-or-later
// Which CUDA context an element works in: the program's, the neighbours', otherwise one for the whole
// process. The driver is a fake one, the first argument, so no GPU is needed.
#include "common/cuda/device.h"
#include "common/device_cast.h"
#include "fake_cuda.h"
#include "gst/compat.h"
#include "gst/memory/cuda_context.h"

#include <memory>

using namespace vigil;

namespace {

// An element that does nothing but have a context.
struct Keeper {
  GstElement element;
  gst::CudaContext *cuda;
};
struct KeeperClass {
  GstElementClass parent;
};
G_DEFINE_TYPE(Keeper, keeper, GST_TYPE_ELEMENT)

gboolean answer(GstPad *pad, GstObject *parent, GstQuery *query) {
  gst::CudaContext *cuda = reinterpret_cast<Keeper *>(parent)->cuda;
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT) return cuda->answer(GST_ELEMENT(parent), query);
  return gst_pad_query_default(pad, parent, query);
}
void keeper_init(Keeper *self) {
  self->cuda = new gst::CudaContext;
  for (const GstPadDirection direction : {GST_PAD_SRC, GST_PAD_SINK}) {
    GstPad *pad = gst_pad_new(direction == GST_PAD_SRC ? "src" : "sink", direction);
    gst_pad_set_query_function(pad, answer);
    gst_element_add_pad(&self->element, pad);
  }
}
void keeper_class_init(KeeperClass *klass) {
  klass->parent.set_context = [](GstElement *element, GstContext *context) {
    reinterpret_cast<Keeper *>(element)->cuda->offered(element, context, -1);
    GST_ELEMENT_CLASS(keeper_parent_class)->set_context(element, context);
  };
  G_OBJECT_CLASS(klass)->finalize = [](GObject *object) {
    delete reinterpret_cast<Keeper *>(object)->cuda;
    G_OBJECT_CLASS(keeper_parent_class)->finalize(object);
  };
}

// Two neighbours in a pipeline of their own.
class Pipeline {
 public:
  Pipeline() {
    gst_bin_add_many(GST_BIN(pipeline_), one_, two_, nullptr);
    expect(gst_element_link(one_, two_), "two elements cannot be linked");
  }
  ~Pipeline() {
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(pipeline_);
  }
  GstElement *element() const { return pipeline_; }
  // What both work in.
  CUctx_st *open() {
    devices_[0] = cuda(one_).open(one_, -1);
    devices_[1] = cuda(two_).open(two_, -1);
    CUctx_st *const context = device_cast<CudaDevice>(*devices_[0]).context();
    expect(device_cast<CudaDevice>(*devices_[1]).context() == context, "neighbours have two contexts");
    return context;
  }

 private:
  static gst::CudaContext &cuda(GstElement *keeper) { return *reinterpret_cast<Keeper *>(keeper)->cuda; }
  GstElement *pipeline_ = gst_pipeline_new(nullptr);
  GstElement *one_ = GST_ELEMENT(g_object_new(keeper_get_type(), nullptr));
  GstElement *two_ = GST_ELEMENT(g_object_new(keeper_get_type(), nullptr));
  std::unique_ptr<Device> devices_[2];
};

} // namespace

int main(int argc, char **argv) {
  void *const driver = fake_driver(argc, argv);
  int &failed = *static_cast<int *>(dlsym(driver, "fake_cuda_failed"));
  const int &destroyed = *static_cast<int *>(dlsym(driver, "fake_cuda_destroyed"));
  gst_init(nullptr, nullptr);
  expect(gst_cuda_load_library(), "GStreamer does not load the fake driver");

  CUctx_st *before = nullptr;
  {
    Pipeline first, second;
    before = first.open();
    expect(second.open() == before, "two pipelines that were given no context have two");
    expect(destroyed == 0, "a context was made and thrown away");

    Pipeline given;
    GstCudaContext *own = gst_cuda_context_new(0);
    GstContext *context = gst_context_new_cuda_context(own);
    gst_element_set_context(given.element(), context);
    expect(given.open() == gst_cuda_context_get_handle(own), "the program's context is not taken");
    expect(given.open() != before, "the program's context is that of the others");
    gst_context_unref(context);
    gst_object_unref(own);
  }
  expect(destroyed == 2, "contexts outlive their pipelines");

  Pipeline held;
  CUctx_st *const broken = held.open();
  expect(broken != before, "a context that is gone was taken");
  failed = 1;
  Pipeline restarted;
  expect(restarted.open() != broken, "a context in which nothing can be done goes to new pipelines");
  return 0;
}
