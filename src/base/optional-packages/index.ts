/** Optional peer dependencies, which npm does not install. */
export * from "./executable.js";
export * from "./optional.js";
