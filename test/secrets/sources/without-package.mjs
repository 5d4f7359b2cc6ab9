import Module, { register } from "node:module";

// Simulates a missing package, named by MISSING_PACKAGE. Imports of it from this repository fail with Node's own error.
const missing = process.env.MISSING_PACKAGE;
const here = new URL("../../../", import.meta.url);
const hooks = `
const missing = ${JSON.stringify(missing)};
export async function resolve(specifier, context, next) {
  const isOurs = context.parentURL?.startsWith(${JSON.stringify(here.href)});
  if (!isOurs || (specifier !== missing && !specifier.startsWith(missing + "/"))) return next(specifier, context);
  const error = new Error("Cannot find package '" + missing + "' imported from " + context.parentURL);
  throw Object.assign(error, { code: "ERR_MODULE_NOT_FOUND" });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

// Covers the built command, which is CommonJS.
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...more) {
  const isOurs = parent?.filename?.startsWith(here.pathname);
  if (!isOurs || (request !== missing && !request.startsWith(`${missing}/`)))
    return resolveFilename.call(this, request, parent, ...more);
  throw Object.assign(new Error(`Cannot find module '${missing}'`), { code: "MODULE_NOT_FOUND" });
};
