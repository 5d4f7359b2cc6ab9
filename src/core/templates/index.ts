/** Texts made of partials and variables, with the place that each stretch is written at. */
export {
  type ComposeInput,
  type Composition,
  compose,
  findPlaceInComposition,
  type SourceEdit,
  type Stretch,
  toSplice,
} from "./compose.js";
export { loadParser, type TemplateProblem, variablePattern } from "./parse.js";
export { type ComposedText, findHunks, placeAllEdits, placeEdits, placeInlined } from "./put.js";
