/** What is wrong with what the user wrote: values that are collected, never thrown. */
export {
  type Diagnostic,
  hasErrors,
  inSourceOrder,
  nearest,
  type Place,
  type Severity,
} from "./diagnostic.js";
export { placeOf, type Source, type SourceRange, sourceOf } from "./source.js";
