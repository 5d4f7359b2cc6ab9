import * as z from "zod";

/** A value of JSON without null. */
export type Json = string | number | boolean | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/** In JSON Schema it is the value of a field. */
export const jsonForm: z.ZodType<Json> = z
  .lazy(() =>
    z.union([z.string(), z.number(), z.boolean(), z.array(jsonForm), z.record(z.string(), jsonForm)]),
  )
  .meta({
    id: "Value",
    description:
      "The value of a field: a text, or the id of a reference; a number; true or false; a list, such as of links; an object.",
  });

/**
 * What a form describes, as it is handed on: read-only, and a key that may be absent is never undefined. What may be any
 * JSON is read-only already.
 */
export type DeepReadonly<T> = [Json] extends [T] ? T : ReadonlyParts<T>;

type ReadonlyParts<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<Exclude<T[Key], undefined>> }
    : T;

/**
 * What zod finds wrong with a value, to follow the value's path: "is missing", "is wrong: expected string,
 * received number". Needs an issue created with `reportInput`; contains nothing of the value.
 */
export function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined) return "is missing";
  if (issue.code === "custom") return issue.message;
  return `is wrong: ${issue.message.replace(/^Invalid (?:input|option): /, "")}`;
}

/** Whether a value is an object of JSON, and not a list. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The entries of an object of JSON; none of anything else. */
export function toMapping(value: unknown): Readonly<Record<string, unknown>> {
  return isMapping(value) ? value : {};
}

/** Maximum depth of JSON from outside: what walks it recursively must not run out of stack. */
const maxDepth = 100;

/**
 * The JSON value of a text; undefined if it is not JSON, or nested too deeply. An error would show a part of the text.
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
