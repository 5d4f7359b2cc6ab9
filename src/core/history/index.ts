/** What was applied when: the records of a state, and the texts of earlier commits. */

export * from "./commit-tree.js";
export * from "./definitions.js";
export * from "./past-state.js";
export * from "./read-history.js";
export * from "./sentences.js";
export * from "./text-finder.js";
export * from "./unseen-changes.js";
