// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a value stands on a slider from 0 to 1. Ranges such as 1..100000 with a default of 500 would leave nothing to drag on
// a straight scale: there position^e is the share of the range, with e so that the default stands at a third of the way.
const third = 0.33;

export function exponent(min, max, byDefault) {
  const share = (byDefault - min) / (max - min);
  if (share >= 0.15 || max - min <= 20) return 1;
  if (share > 0) return Math.min(8, Math.log(share) / Math.log(third));
  return max - min > 1000 ? 3 : 1;
}

export const toPosition = (value, min, max, e) => (max > min ? Math.min(1, Math.max(0, (value - min) / (max - min))) ** (1 / e) : 0);

/** The value at a position, rounded to what a slider of some hundred pixels can tell apart; whole for integers. */
export function fromPosition(position, min, max, e, whole) {
  const value = min + (max - min) * position ** e;
  if (position <= 0) return min;
  if (position >= 1) return max;
  if (whole) {
    const rough = Math.round(value);
    return Math.abs(rough) >= 1000 ? Number(rough.toPrecision(2)) : rough;
  }
  const step = (e * (max - min) * position ** (e - 1)) / 400;
  const digit = 10 ** Math.floor(Math.log10(Math.max(step, 1e-9)));
  return Number((Math.round(value / digit) * digit).toPrecision(6));
}
