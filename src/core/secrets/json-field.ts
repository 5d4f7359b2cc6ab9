import { parseJson } from "../../base/text/index.js";
import type { SourceContext } from "./source-kind.js";
import { decoded } from "./text.js";

/** A field of a secret that is a JSON object. Says nothing of what else is in it. */
export function jsonField(value: string | Uint8Array, field: string, { error }: SourceContext): string {
  const object = objectIn(typeof value === "string" ? value : decoded(value));
  if (!object)
    throw error("unreadable", "is not a JSON object, so that it has no fields. Leave out the field.");
  const found = Object.hasOwn(object, field) ? object[field] : undefined;
  if (typeof found === "string") return found;
  if (typeof found === "number" || typeof found === "boolean") return String(found);
  if (found === undefined) throw error("not-found", "does not exist: the secret has no field of this name.");
  throw error("unreadable", "is not a text.");
}

function objectIn(text = ""): Record<string, unknown> | undefined {
  const parsed = parseJson(text);
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
    ? (parsed as Record<string, unknown>)
    : undefined;
}

/** What is before and after the `#` of a shorthand; undefined if there is nothing before it. */
export function splitAtField(
  written: string,
): { readonly name: string; readonly field?: string } | undefined {
  const [, name, field] = /^([^#]+)(?:#(.+))?$/.exec(written) ?? [];
  return name === undefined ? undefined : { name, ...(field && { field }) };
}
