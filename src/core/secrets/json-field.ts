import { isMapping, parseJson } from "../../base/text/index.js";
import { SourceProblem } from "./source-error.js";
import { decodeUtf8 } from "./text.js";

/** Source field for {@link readJsonField}. */
export const jsonFieldSetting = {
  type: "string",
  description: "Field name, if the value is a JSON object. Default: the whole value.",
} as const;

/** Reads a field of a secret that is a JSON object. Errors never reveal its other fields. */
export function readJsonField(value: string | Uint8Array, field: string): string {
  const text = (typeof value === "string" ? value : decodeUtf8(value)) ?? "";
  const object = parseJson(text) === undefined ? undefined : parseJson(quoteNumbers(text));
  if (!isMapping(object))
    throw new SourceProblem(
      "unreadable",
      "is not a JSON object, so it has no fields. Remove the field from the source.",
    );
  const found = Object.hasOwn(object, field) ? object[field] : undefined;
  if (typeof found === "string") return found;
  if (typeof found === "boolean") return String(found);
  if (found === undefined)
    throw new SourceProblem(
      "not-found",
      "does not exist: the secret has no such field. Correct the field name (case-sensitive), or add the field to the secret.",
    );
  throw new SourceProblem("unreadable", "is not a string. Store it as a JSON string, or name another field.");
}

/** Converts the numbers in valid JSON to strings. Otherwise, numbers with more than 15 digits would be rounded. */
function quoteNumbers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') ? token : JSON.stringify(token),
  );
}
