// SPDX-License-Identifier: LGPL-2.1-or-later
// English names of the labels of events, keys of the catalogues. Both the page and the service worker load this file; a worker
// cannot import modules in every browser, so that it exports nothing.
globalThis.labelTexts = {
  "motion": "Motion", "loitering": "Loitering", "camera-covered": "Camera covered", "camera-blurred": "Out of focus", "camera-moved": "Camera moved",
  "camera-offline": "Camera offline", "detect-offline": "Detection stream offline", "record-offline": "Recorded stream offline",
  "device-motion": "Motion (camera)", "device-tamper": "Tampering (camera)", "device-input": "Input (camera)", "device-line": "Line crossed (camera)",
};
