/** What was applied when: the records of a state, and the texts of earlier commits. */
export { definitionsOf } from "./definitions.js";
