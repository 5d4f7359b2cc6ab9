/** Tokens for application code, from the presets of a project. */

/** TypeScript declarations of presets and what each wants. */
export { declareTypes } from "./declare-types.js";
/** A token that starts one session (§4.5). */
export { mintToken } from "./mint.js";
export type {
  ContextTypes,
  Json,
  MintRequest,
  PresetName,
  PresetTypes,
  RequestArguments,
  RequestFor,
} from "./preset-types.js";
/** What an application has of a project. */
export { type FilePreset, type PresetsFile, presetsFile } from "./presets-file.js";
