/** The desired state, and where each part of it is written. */

export { collectionNames, type DurationUnit, durationUnits, settingNames } from "./forms/form.js";
export { isLogicalName, logicalNames } from "./forms/logical-name.js";
export { type NoticeEvent, noticeEvents } from "./forms/notify-form.js";
export {
  defaultRules,
  isOfPlan,
  type PoliciesProps,
  type RuleName,
  type RuleOptions,
} from "./forms/policy-form.js";
export { frontMatterSchema, manifestSchema } from "./forms/schema.js";
export { camelCase, functionName, toField as fieldOf } from "./forms/spelling.js";
export { defaultWaitMs } from "./forms/wait.js";
export { matchesWildcard } from "./forms/wildcard.js";
export { recordedDeclaration } from "./reading/declarations.js";
/** A single Markdown file. */
export { composeFile, type ReadDocument, readDocument } from "./reading/document.js";
export { declaredAt, type FirstLine, findStretches } from "./reading/first-line.js";
export type { Judge, JudgedProject, TextPart } from "./reading/judging.js";
export {
  isProject,
  type LoadedManifest,
  type LoadOptions,
  loadBase,
  loadManifest,
  mainFiles,
  refuseCode,
} from "./reading/load.js";
export {
  type Declaration,
  isLiteral,
  type Manifest,
  type NoticeTarget,
  type Policies,
  type PolicyException,
  type PolicyFunction,
  type PolicyRule,
  type Preset,
  type PresetSource,
  type ReviewSettings,
  type ServiceSettings,
  type Setting,
} from "./reading/manifest.js";
export { reportTwice } from "./reading/names.js";
export { closedPlaceholders, unclosedPlaceholders } from "./reading/placeholders.js";
export { withoutValue } from "./reading/presets.js";
export { findStockNames, resolveStock } from "./reading/stock.js";
export { listPlaceholders, type PresetVariables, readVariables } from "./reading/variables.js";
export { defaultSources } from "./sources/source-tag.js";
export { toDiagnostics } from "./sources/to-diagnostics.js";
export { conflictIn, reportConflict } from "./tree/conflicts.js";
export { createCollector, type DiagnosticsCollector, type Finding } from "./tree/diagnostics-collector.js";
export { matchesGlob, parseGlob } from "./tree/glob.js";
export { fileText, textOfFile } from "./tree/markdown.js";
export type { Entry, ListNode, MapNode, Node, Origin, Trail } from "./tree/node.js";
export { type FileTree, isCode, type ReadFile } from "./tree/project-files.js";
export type { Base, Definitions, OpenDefinitions, Reading } from "./tree/reading.js";
/** Objects of an account that no file declares yet. */
export {
  declareObjects,
  type NewDeclarations,
  takenNames,
  undoDeclarations,
  writeDeclarations,
} from "./writing/declare.js";
export {
  type Edit,
  type EditedFile,
  editFiles,
  originFor,
  type WrittenBack,
  writeBack,
} from "./writing/edit.js";
export type { NamedObject, ProjectObject } from "./writing/entry-text.js";
export { declaredSpec } from "./writing/entry-text.js";
export {
  type NewProject,
  ProjectExistsError,
  projectTexts,
  withNames,
  writeProject,
} from "./writing/project.js";
