/** Reads the history of a state, with its records, their texts and the declarations in earlier commits. */

export * from "./commit-tree.js";
export * from "./committed-project.js";
export * from "./definitions.js";
export * from "./past-state.js";
export * from "./read-history.js";
export * from "./recorded-texts.js";
export * from "./sentences.js";
export * from "./unseen-changes.js";
