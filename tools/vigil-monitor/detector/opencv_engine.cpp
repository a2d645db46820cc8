// SPDX-License-Identifier: LGPL-2.1-or-later
// The module of network_engine.h with OpenCV's dnn. It knows nothing else of vigil-monitor.
#include "network_engine.h"

#include <algorithm>
#include <exception>
#include <new>
#include <opencv2/dnn.hpp>
#include <sstream>

namespace vigil::monitor {
namespace {

// OpenCV would print what it throws.
int say_nothing(int, const char *, const char *, const char *, int, void *) {
  return 0;
}

// The first line of OpenCV's words, without the place in its source.
std::string words_of(const cv::Exception &e) {
  const std::string words = e.err.substr(0, e.err.find('\n'));
  constexpr std::size_t longest = 200;
  return words.empty() ? "no reason is given" : words.substr(0, longest);
}

template <class... Parts>
std::string reason(const Parts &...parts) {
  std::ostringstream s;
  (s << ... << parts);
  return s.str();
}

// Of a function that throws anything: its reason, or that of the exception by `explain`.
template <class Work, class Explain>
std::string caught(Work &&work, Explain &&explain) noexcept {
  try {
    try {
      return work();
    } catch (const cv::Exception &e) {
      return explain(words_of(e));
    } catch (const std::bad_alloc &) {
      return ": the network needs more memory than there is; take a smaller one";
    } catch (const std::exception &e) {
      return explain(e.what());
    } catch (...) {
      return explain("something that is no std::exception was thrown");
    }
  } catch (...) { // no memory for the words
    return {'?'};
  }
}

class OpenCvEngine : public NetworkEngine {
 public:
  std::string load(std::span<const std::uint8_t> onnx) noexcept override {
    return caught(
        [&]() -> std::string {
          cv::redirectError(say_nothing);
          cv::setNumThreads(1);
          net_ = cv::dnn::readNetFromONNX(reinterpret_cast<const char *>(onnx.data()), onnx.size());
          if (net_.empty()) return ": the detector's model has no layers";
          net_.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
          net_.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
          return {};
        },
        [&](const std::string &words) {
          return reason(" (", onnx.size(), " bytes) is no ONNX model that OpenCV ", CV_VERSION,
                        " can read: ", words, "; export it again, with opset 12");
        });
  }

  std::string run(const NetworkPicture &p, NetworkOutput &out) noexcept override {
    return caught(
        [&]() -> std::string {
          std::vector<cv::Mat> outputs;
          const cv::Mat picture(p.height, p.width, CV_8UC3, const_cast<std::uint8_t *>(p.rgb.data()));
          net_.setInput(cv::dnn::blobFromImage(picture, 1 / 255., cv::Size(), cv::Scalar(), p.bgr));
          net_.forward(outputs, net_.getUnconnectedOutLayersNames());
          return take(outputs, out);
        },
        [&](const std::string &words) {
          return reason(" takes no picture of ", p.width, "x", p.height, ": ", words,
                        "; set size to the input of the model");
        });
  }

 private:
  static std::string take(const std::vector<cv::Mat> &outputs, NetworkOutput &out) {
    if (outputs.size() != 1)
      return reason(" has ", outputs.size(),
                    " outputs; export it with one, as YOLO's and FastestDet's own programs do");
    const cv::Mat &o = outputs.front();
    if (o.type() != CV_32F || !o.isContinuous())
      return ": the output is no array of float32; export it without quantisation";
    constexpr std::size_t most = std::size_t{1} << 24;
    if (o.total() > most)
      return reason(" gives ", o.total(), " values; at most ", most, " are read, so take a smaller input");
    out.shape.assign(o.size.p, o.size.p + o.dims);
    const auto *values = o.ptr<float>();
    out.values.assign(values, values + o.total());
    return {};
  }

  cv::dnn::Net net_;
};

} // namespace
} // namespace vigil::monitor

extern "C" {
[[gnu::visibility("default")]] int vigil_network_engine_version() {
  return vigil::monitor::network_engine_version;
}
[[gnu::visibility("default")]] vigil::monitor::NetworkEngine *vigil_make_network_engine() {
  try {
    return new vigil::monitor::OpenCvEngine;
  } catch (...) {
    return nullptr;
  }
}
}
