/** The desired state, and where each part of it is written. */

export type { Base } from "./base.js";
export { conflictIn, reportConflict } from "./conflicts.js";
/** Objects of an account that no file declares yet. */
export {
  declareObjects,
  type NewDeclarations,
  takenNames,
  undoDeclarations,
  writeDeclarations,
} from "./declare.js";
export type { Definitions, OpenDefinitions } from "./definitions.js";
export { createCollector, type DiagnosticsCollector, type Finding } from "./diagnostics-collector.js";
export { type DisableComment, type DisableTarget, disableKey, marksIn } from "./disabling.js";
/** A single Markdown file. */
export { type ReadDocument, readDocument } from "./document.js";
export { type Edit, type EditedFile, editFiles, originFor, type WrittenBack, writeBack } from "./edit.js";
export { declaredSpec } from "./entry-text.js";
export { declaredAt, type FirstLine, firstLineOf } from "./first-line.js";
export { collectionNames, settingNames } from "./form.js";
export type { Judge, JudgedProject } from "./judging.js";
export {
  isProject,
  type LoadedManifest,
  type LoadOptions,
  loadBase,
  loadManifest,
  mainFiles,
  refuseCode,
} from "./load.js";
export { isLogicalName, logicalNames } from "./logical-name.js";
export {
  type Declaration,
  type DurationUnit,
  durationUnits,
  isLiteral,
  type Manifest,
  type Origin,
  type Policies,
  type PolicyException,
  type PolicyFunction,
  type PolicyRule,
  type Preset,
  type PresetSource,
  type ServiceSettings,
  type Setting,
  type Threshold,
  type Thresholds,
} from "./manifest.js";
export { fileText, textOfFile } from "./markdown.js";
export type { Entry, ListNode, MapNode, Node, Trail } from "./node.js";
export { closedPlaceholders, unclosedPlaceholders } from "./placeholders.js";
export {
  defaultRules,
  isOfPlan,
  type PoliciesProps,
  type RuleName,
  type RuleOptions,
} from "./policy-form.js";
export {
  type NewProject,
  ProjectExistsError,
  projectTexts,
  withNames,
  writeProject,
} from "./project.js";
export type { FileTree, ReadFile } from "./project-files.js";
export type { NamedObject, ProjectObject } from "./project-object.js";
export type { Reading } from "./reading.js";
export { recordedDeclaration } from "./recorded.js";
export { redactSecretsInCode } from "./redact.js";
export { frontMatterSchema, manifestSchema } from "./schema.js";
export { allowedValues } from "./settings.js";
export { type ReadSourceRecord, readSourceRecord } from "./source-record.js";
export { defaultSources } from "./source-tag.js";
export { camelCase, fieldOf, functionName } from "./spelling.js";
export type { TextPart } from "./text-range.js";
export type { ValueSettings } from "./value-settings.js";
export { defaultWaitMs } from "./wait.js";
export { matchesWildcard } from "./wildcard.js";
