// SPDX-License-Identifier: LGPL-2.1-or-later
// Takes the live stream apart into its records (docs/reference/live-stream.md). Chunks of the network mean nothing: a record may begin
// in one and end in another.
//
//   offset 0  type: 0x4A a JPEG picture, 0x45 JSON    1  n, length of the camera's name    2  view    3  flags, bit 0: motion
//          4  m, length of the payload (big-endian)   8  time in microseconds since 1970   16  name, then the payload
const head = 16;
const longest = 16 * 1024 * 1024;
export const views = ["plain", "overlay", "mask", "background", "uncovered"];

export class Records {
  #buffer = new Uint8Array(256 * 1024);
  #used = 0;

  /** Calls onRecord for each record that `chunk` completes. Throws where the stream is no such stream. */
  push(chunk, onRecord) {
    this.#append(chunk);
    let at = 0;
    while (this.#used - at >= head) {
      const view = new DataView(this.#buffer.buffer, at, head);
      const nameLength = view.getUint8(1);
      const length = view.getUint32(4);
      if (length > longest) throw new Error(`The live stream announces a record of ${length} bytes`);
      const end = at + head + nameLength + length;
      if (end > this.#used) break;
      const payload = at + head + nameLength;
      onRecord({
        type: String.fromCharCode(view.getUint8(0)),
        camera: String.fromCharCode(...this.#buffer.subarray(at + head, payload)),
        view: views[view.getUint8(2)] ?? "plain",
        motion: (view.getUint8(3) & 1) === 1,
        time: Number(view.getBigUint64(8)) / 1e6,
        payload: this.#buffer.slice(payload, end), // a copy: the buffer is used again
      });
      at = end;
    }
    this.#buffer.copyWithin(0, at, this.#used);
    this.#used -= at;
  }

  #append(chunk) {
    if (this.#used + chunk.length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(2 * this.#buffer.length, this.#used + chunk.length));
      larger.set(this.#buffer.subarray(0, this.#used));
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#used);
    this.#used += chunk.length;
  }
}
