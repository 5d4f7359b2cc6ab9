/** Packages that only some users need: optional peers, which npm does not install. */
export * from "./executable.js";
export * from "./optional.js";
