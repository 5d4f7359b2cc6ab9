/** Problems in the user's input. Diagnostics are collected, never thrown. */
export * from "./diagnostic.js";
export * from "./source-file.js";
export * from "./usage-error.js";
