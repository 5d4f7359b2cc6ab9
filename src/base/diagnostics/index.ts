/** What is wrong with the user's input: values that are collected, never thrown. */
export {
  type Diagnostic,
  hasErrors,
  inSourceOrder,
  nearest,
  type Place,
  type PolicyFacts,
  type Severity,
  suggest,
} from "./diagnostic.js";
export { openSource, type Source, type SourceRange, toPlace } from "./source.js";
export { UsageError } from "./usage-error.js";
