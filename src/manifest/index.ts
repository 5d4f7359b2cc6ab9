/** The desired state and where each word of it stands. */
export type { Declaration, Manifest, Origin, Preset, ServiceSettings, Setting } from "./manifest.js";
