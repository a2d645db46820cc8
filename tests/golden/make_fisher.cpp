// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes fisher.bin: what VLFeat computes for small pictures, by vl_dsift with a flat window, vl_gmm and
// vl_fisher_encode. Usage: make-fisher > tests/golden/fisher.bin (with VLFeat installed meson builds it;
// 0.9.21 made the file that is here).
//
// The file: lines of text up to "end", then for each line, in order, its numbers (little-endian):
//   sift WIDTH HEIGHT BIN STEP COUNT      WIDTH x HEIGHT bytes of luma; COUNT x 128 floats: descriptors of
//                                         scale 1, zero where VLFeat's "norm" is below 0.005
//   fisher PROJECTED COMPONENTS COUNT     mean 128, projection PROJECTED x 128, priors, means, variances,
//                                         positions COUNT x 2, the vector: floats; of the descriptors of all
//                                         sift lines with a bin and step of 4, in order
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include <vl/dsift.h>
#include <vl/fisher.h>
#include <vl/gmm.h>
}

namespace {

using Floats = std::vector<float>;
std::mt19937 rng(7);
std::string head, body;

template <class T>
void put(const std::vector<T> &values) {
  body.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
}

// Waves, edges and noise; or flat with a few small things in it.
std::vector<unsigned char> paint(int width, int height, bool flat) {
  std::vector<unsigned char> p;
  std::normal_distribution<float> noise(0, 6);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      float v = 128 + 60 * std::sin(0.3F * x + 0.11F * y) + (x * 3 > y * 5 ? 40 : -20) + noise(rng);
      if (flat) v = x > width * 2 / 3 && (x / 5 + y / 7) % 2 ? 190 : y < 6 ? 90 + y % 2 : 90;
      p.push_back(static_cast<unsigned char>(std::clamp(v, 0.F, 255.F)));
    }
  return p;
}

struct Described {
  Floats descriptors, positions;
};

// Of one picture; in the file when `keep` is set.
Described describe(int width, int height, int bin, int step, bool flat, bool keep) {
  const auto picture = paint(width, height, flat);
  Floats luma;
  for (const auto v : picture) luma.push_back(v / 255.F);
  VlDsiftFilter *f = vl_dsift_new_basic(width, height, step, bin);
  vl_dsift_set_flat_window(f, 1);
  vl_dsift_process(f, luma.data());
  const int count = vl_dsift_get_keypoint_num(f);
  const auto *keys = vl_dsift_get_keypoints(f);
  Described d;
  d.descriptors.assign(vl_dsift_get_descriptors(f), vl_dsift_get_descriptors(f) + 128 * count);
  for (int i = 0; i < count; i++) {
    if (keys[i].norm < 0.005) std::fill_n(&d.descriptors[128 * i], 128, 0.F);
    d.positions.push_back(float((keys[i].x + 0.5) / width - 0.5));
    d.positions.push_back(float((keys[i].y + 0.5) / height - 0.5));
  }
  vl_dsift_delete(f);
  if (!keep) return d;
  head += "sift " + std::to_string(width) + " " + std::to_string(height) + " " + std::to_string(bin) + " " +
          std::to_string(step) + " " + std::to_string(count) + "\n";
  put(picture);
  put(d.descriptors);
  return d;
}
Described join(std::initializer_list<Described> all) {
  Described sum;
  for (const Described &d : all) {
    sum.descriptors.insert(sum.descriptors.end(), d.descriptors.begin(), d.descriptors.end());
    sum.positions.insert(sum.positions.end(), d.positions.begin(), d.positions.end());
  }
  return sum;
}

constexpr int projected = 20, m = projected + 2, components = 12;

std::vector<double> project(const Described &d, const Floats &mean, const Floats &projection) {
  std::vector<double> data;
  for (std::size_t i = 0; i < d.descriptors.size() / 128; i++) {
    for (int k = 0; k < projected; k++) {
      double sum = 0;
      for (int e = 0; e < 128; e++)
        sum += double(projection[128 * k + e]) * (double(d.descriptors[128 * i + e]) - mean[e]);
      data.push_back(sum);
    }
    data.push_back(d.positions[2 * i]);
    data.push_back(d.positions[2 * i + 1]);
  }
  return data;
}

// The vector of `shown`, by a mixture fitted to `seen`. They must differ: on what it was fitted to all
// derivatives are nearly 0, and what is left is rounding.
void encode(const Described &seen, const Described &shown) {
  Floats mean(128), projection(128 * projected);
  for (std::size_t i = 0; i < seen.descriptors.size(); i++)
    mean[i % 128] += seen.descriptors[i] * 128 / float(seen.descriptors.size());
  // Rows of a cosine transform: orthogonal and of norm 1, as the rows of a PCA are.
  for (int k = 0; k < projected; k++)
    for (int e = 0; e < 128; e++)
      projection[128 * k + e] = float(0.125 * std::cos(std::numbers::pi * (e + 0.5) * (k + 1) / 128));
  const auto learn = project(seen, mean, projection);
  VlGMM *gmm = vl_gmm_new(VL_TYPE_DOUBLE, m, components);
  vl_rand_seed(vl_get_rand(), 1);
  vl_gmm_set_initialization(gmm, VlGMMRand);
  vl_gmm_set_max_num_iterations(gmm, 30);
  vl_gmm_set_covariance_lower_bound(gmm, 1e-6);
  vl_gmm_cluster(gmm, learn.data(), learn.size() / m);
  // Through float, as Vigil gets them.
  const auto floats = [](const void *from, int n) {
    const auto *p = static_cast<const double *>(from);
    return Floats(p, p + n);
  };
  const Floats priors = floats(vl_gmm_get_priors(gmm), components),
               means = floats(vl_gmm_get_means(gmm), components * m),
               variances = floats(vl_gmm_get_covariances(gmm), components * m);
  vl_gmm_delete(gmm);
  const auto doubles = [](const Floats &f) { return std::vector<double>(f.begin(), f.end()); };
  const auto data = project(shown, mean, projection);
  std::vector<double> vector(2 * m * components);
  vl_fisher_encode(vector.data(), VL_TYPE_DOUBLE, doubles(means).data(), m, components,
                   doubles(variances).data(), doubles(priors).data(), data.data(), data.size() / m,
                   VL_FISHER_FLAG_IMPROVED);
  head += "fisher " + std::to_string(projected) + " " + std::to_string(components) + " " +
          std::to_string(data.size() / m) + "\n";
  put(mean);
  put(projection);
  put(priors);
  put(means);
  put(variances);
  put(shown.positions);
  put(Floats(vector.begin(), vector.end()));
}

} // namespace

int main() {
  const Described seen = join({describe(120, 90, 4, 4, false, false), describe(110, 80, 4, 4, true, false)});
  const Described shown = join({describe(53, 37, 4, 4, false, true), describe(64, 48, 4, 4, true, true),
                                describe(13, 13, 4, 4, false, true)});
  describe(29, 24, 6, 3, false, true);
  describe(31, 40, 3, 5, true, true);
  encode(seen, shown);
  head += "end\n";
  std::fwrite(head.data(), 1, head.size(), stdout);
  std::fwrite(body.data(), 1, body.size(), stdout);
}
