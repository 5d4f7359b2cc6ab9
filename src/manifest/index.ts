/** The desired state and where each word of it stands. */
export { type LoadedManifest, type LoadOptions, loadManifest } from "./load.js";
export type { Declaration, Manifest, Origin, Preset, ServiceSettings, Setting } from "./manifest.js";
export type { ReadFile } from "./project-files.js";
