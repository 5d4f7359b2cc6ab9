/** The desired state and where each word of it stands. */

export { type Edit, type EditedFile, editFiles, originFor, type WrittenBack, writeBack } from "./edit.js";
export { type LoadedManifest, type LoadOptions, loadManifest } from "./load.js";
export { isLogicalName, logicalName } from "./logical-name.js";
export type { Declaration, Manifest, Origin, Preset, ServiceSettings, Setting } from "./manifest.js";
export {
  type NewProject,
  ProjectExistsError,
  type ProjectObject,
  projectTexts,
  writeProject,
} from "./project.js";
export type { ReadFile } from "./project-files.js";
export { manifestSchema } from "./schema.js";
