// SPDX-License-Identifier: LGPL-2.1-or-later
// The states of a camera and of a stream, as words: alone, and in a sentence or a table.
import { t } from "../app/text.js";

export const stateTitle = (state) => ({ starting: t("Starting"), online: t("Online"), offline: t("Offline"), disabled: t("Switched off"), ended: t("Ended") })[state] ?? state;
export const stateWords = (state) => ({ starting: t("starting"), online: t("online"), offline: t("offline"), disabled: t("switched off"), ended: t("ended") })[state] ?? state;
export const notAnalysed = t("This camera is only recorded and shown: detect: {enabled: false} in its configuration.");
