import { isMapping, parseJson } from "../../base/text/index.js";
import { notFound, unreadable } from "./source-error.js";
import { decoded } from "./text.js";

/** The field of a source for {@link jsonField}. */
export const jsonFieldSetting = {
  type: "string",
  description: "The field, where the value is a JSON object. Default: the whole value.",
} as const;

/** A field of a secret that is a JSON object. Says nothing of what else is in it. */
export function jsonField(value: string | Uint8Array, field: string): string {
  const text = (typeof value === "string" ? value : decoded(value)) ?? "";
  const object = parseJson(text) === undefined ? undefined : parseJson(quoteNumbers(text));
  if (!isMapping(object))
    throw unreadable("is not a JSON object, so that it has no fields. Leave out the field.");
  const found = Object.hasOwn(object, field) ? object[field] : undefined;
  if (typeof found === "string") return found;
  if (typeof found === "boolean") return String(found);
  if (found === undefined) throw notFound("does not exist: the secret has no field of this name.");
  throw unreadable("is not a text.");
}

/** Valid JSON with its numbers as texts: a number of more than 15 digits would be rounded. */
function quoteNumbers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') ? token : JSON.stringify(token),
  );
}
