// SPDX-License-Identifier: LGPL-2.1-or-later
// A Kalman filter of one coordinate that moves with a nearly constant velocity, in seconds, not in frames:
//
//   state       s = (p, v)'            covariance C
//   prediction  s <- F s,  C <- F C F' + q Q      F = (1 dt; 0 1),   Q = (dt^3/3 dt^2/2; dt^2/2 dt)
//   update      k = C h / (h' C h + r),  s <- s + k (z - p),  C <- (I - k h') C      h = (1 0)'
//
// q is the spectral density of the acceleration (px^2/s^3), r the variance of the measurement z (px^2). Two
// predictions over dt / 2 give what one over dt does, so that the frame rate does not matter and may change.
// Source: Y. Bar-Shalom, X. R. Li, T. Kirubarajan, "Estimation with Applications to Tracking and Navigation",
// 2001, 6.2.2.
#pragma once

namespace vigil::track {

struct Coordinate {
  double p = 0, v = 0;           // px, px/s
  double pp = 0, pv = 0, vv = 0; // C

  void predict(double dt, double q) {
    p += v * dt;
    pp += dt * (2 * pv + dt * vv) + q * dt * dt * dt / 3;
    pv += dt * vv + q * dt * dt / 2;
    vv += q * dt;
  }
  void update(double z, double r) {
    const double s = pp + r, gain_p = pp / s, gain_v = pv / s, off = z - p;
    p += gain_p * off;
    v += gain_v * off;
    vv -= gain_v * pv;
    pp *= 1 - gain_p;
    pv *= 1 - gain_p;
  }
  // How unlikely z is: the squared distance in standard deviations.
  double distance(double z, double r) const { return (z - p) * (z - p) / (pp + r); }
};

} // namespace vigil::track
