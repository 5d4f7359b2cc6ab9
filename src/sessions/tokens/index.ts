/** Tokens for application code, from the presets of a project. */

export { declareTypes } from "./declare-types.js";
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
export { createPresetsFile, type FilePreset, type PresetsFile } from "./presets-file.js";
