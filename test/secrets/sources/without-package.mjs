import { register } from "node:module";

// As if the package MISSING_PACKAGE were not installed: what imports it gets Node's own error.
const hooks = `
const missing = ${JSON.stringify(process.env.MISSING_PACKAGE)};
export async function resolve(specifier, context, next) {
  if (specifier !== missing && !specifier.startsWith(missing + "/")) return next(specifier, context);
  const error = new Error("Cannot find package '" + missing + "' imported from " + context.parentURL);
  throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
