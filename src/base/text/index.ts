/** Parsing, validation and safe display of text and JSON from outside. */
export { conflictHint, findConflictMarkers } from "./conflict.js";
export { abbreviate, cutText } from "./cut.js";
export * from "./forms.js";
export { idForm, isId, isSameId, isUuid, toCanonicalId, uuidForm } from "./id.js";
export { listNames } from "./list-names.js";
export { toPlainLine } from "./plain-line.js";
export { addArticle, capitalize, toSnakeCase } from "./spelling.js";
export { applySplices, type Splice } from "./splices.js";
