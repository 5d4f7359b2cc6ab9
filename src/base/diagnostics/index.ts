/** What is wrong with the user's input: values that are collected, never thrown. */
export * from "./diagnostic.js";
export * from "./source-file.js";
export * from "./usage-error.js";
