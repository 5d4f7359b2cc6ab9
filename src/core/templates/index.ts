/** Composes texts from partials and variables, and keeps the source range of each stretch. */
export {
  type ComposedSpan,
  type ComposeInput,
  type Composition,
  compose,
  findPartRange,
  type SourceEdit,
  toSplice,
} from "./compose.js";
export { loadParser, type TemplateProblem, variablePattern } from "./parse.js";
export { type ComposedText, escapeTags, findHunks, placeAllEdits, placeEdits, placeInlined } from "./put.js";
