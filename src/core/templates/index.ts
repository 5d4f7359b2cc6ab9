/** Texts made of partials and variables, with the place that each stretch is written at. */
export {
  type ComposeInput,
  type Composition,
  compose,
  editSource,
  placeInComposition,
  type SourceEdit,
  type Stretch,
} from "./compose.js";
export { loadParser, type TemplateProblem, useParser, variablePattern } from "./parse.js";
export { putBack, type Unplaced } from "./put.js";
