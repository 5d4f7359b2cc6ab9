import * as z from "zod";

/** A JSON value without null. */
export type Json = string | number | boolean | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** Form of any JSON value. The JSON Schema uses this form for field values. */
export const jsonForm: z.ZodType<Json> = z
  .lazy(() =>
    z.union([z.string(), z.number(), z.boolean(), z.array(jsonForm), z.record(z.string(), jsonForm)]),
  )
  .meta({
    id: "Value",
    description:
      "Field value: a string, number, boolean, list (such as links) or object. A reference contains an id.",
  });

/** Read-only version of a form's output. Optional keys are absent instead of undefined. Json is already read-only. */
export type DeepReadonly<T> = [Json] extends [T] ? T : ReadonlyParts<T>;

type ReadonlyParts<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<Exclude<T[Key], undefined>> }
    : T;

/**
 * Describes a zod issue as a clause that follows the value's path, such as "is wrong: expected string, received
 * number". Contains no part of the value. The issue must come from a parse with `reportInput`.
 */
export function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined) return "is missing";
  if (issue.code === "custom") return issue.message;
  return `is wrong: ${issue.message.replace(/^Invalid (?:input|option): /, "")}`;
}

/** Describes the first issue of a failed parse, with its path, such as "head.sha is missing". */
export function describeFirstIssue({ issues: [issue] }: z.ZodError): string {
  return issue ? `${issue.path.map(String).join(".") || "it"} ${describeIssue(issue)}` : "it is wrong";
}

/** Returns whether a value is a JSON object. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a JSON object. Returns an empty object for any other value. */
export function toMapping(value: unknown): Readonly<Record<string, unknown>> {
  return isMapping(value) ? value : {};
}

/** Maximum depth of untrusted JSON, so that recursive code does not overflow the stack. */
const maxDepth = 100;

/**
 * Parses JSON. Returns undefined if it is invalid or nested too deeply, because an error would show part of the text.
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isTooDeep(value: unknown): boolean {
  let level: object[] = typeof value === "object" && value !== null ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((one) =>
      Object.values(one).filter((inner): inner is object => typeof inner === "object" && inner !== null),
    );
  }
  return false;
}
