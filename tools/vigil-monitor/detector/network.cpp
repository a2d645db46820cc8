// SPDX-License-Identifier: LGPL-2.1-or-later
#include "network.h"

#include "common/error.h"
#include "common/file.h"

#include <algorithm>
#include <opencv2/dnn.hpp>

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

cv::dnn::Net read(const std::string &file) {
  cv::redirectError(say_nothing);
  cv::setNumThreads(1);
  constexpr std::size_t largest = std::size_t{1} << 30;
  const auto bytes = read_plain_file(file, "the detector's model", 0, [](auto) { return largest; });
  if (bytes.empty()) fail(Error::Kind::bad_data, file, ": the detector's model is empty");
  try {
    cv::dnn::Net net = cv::dnn::readNetFromONNX(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    if (net.empty()) fail(Error::Kind::bad_data, file, ": the detector's model has no layers");
    net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
    net.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
    return net;
  } catch (const cv::Exception &e) {
    fail(Error::Kind::bad_data, file, " (", bytes.size(), " bytes) is no ONNX model that OpenCV ", CV_VERSION,
         " can read: ", words_of(e), "; export it again, with opset 12");
    throw;
  }
}

} // namespace

struct Network::Impl {
  cv::dnn::Net net;
};

bool have_networks() {
  return true;
}

Network::Network(const std::string &file) : file_(file), impl_(new Impl{read(file)}) {}
Network::~Network() = default;

NetworkOutput Network::run(std::span<const std::uint8_t> rgb, int width, int height, bool bgr) {
  std::vector<cv::Mat> outputs;
  try {
    const cv::Mat picture(height, width, CV_8UC3, const_cast<std::uint8_t *>(rgb.data()));
    impl_->net.setInput(cv::dnn::blobFromImage(picture, 1 / 255., cv::Size(), cv::Scalar(), bgr));
    impl_->net.forward(outputs, impl_->net.getUnconnectedOutLayersNames());
  } catch (const cv::Exception &e) {
    fail(Error::Kind::bad_data, file_, " takes no picture of ", width, "x", height, ": ", words_of(e),
         "; set size to the input of the model");
  }
  if (outputs.size() != 1)
    fail(Error::Kind::bad_data, file_, " has ", outputs.size(),
         " outputs; export it with one, as YOLO's and FastestDet's own programs do");
  const cv::Mat &o = outputs.front();
  if (o.depth() != CV_32F || !o.isContinuous())
    fail(Error::Kind::bad_data, file_, ": the output is no array of float32; export it without quantisation");
  NetworkOutput out;
  for (int d = 0; d < o.dims; d++) out.shape.push_back(o.size[d]);
  out.values.assign(o.ptr<float>(), o.ptr<float>() + o.total());
  return out;
}

} // namespace vigil::monitor
