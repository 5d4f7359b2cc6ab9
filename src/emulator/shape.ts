/** Schemas for requests to the service and for the emulator's own input, with common error messages. */
import * as z from "zod";

export interface ShapeProblem {
  at: readonly PropertyKey[];
  message: string;
}

/** Parses a value, or returns all its problems, with paths that start with `at`. */
export function parseShape<T>(
  schema: z.ZodType<T>,
  value: unknown,
  at: readonly string[] = [],
): { value: T } | { problems: ShapeProblem[] } {
  const read = schema.safeParse(value, { error: describe });
  if (read.success) return { value: read.data };
  return {
    problems: read.error.issues.flatMap((issue) => {
      const path = [...at, ...issue.path];
      const unknown = issue.code === "unrecognized_keys" ? issue.keys : [];
      if (unknown.length === 0) return [{ at: path, message: issue.message }];
      return unknown.map((key) => ({ at: [...path, key], message: issue.message }));
    }),
  };
}

/** Joins all problems on one line: `name: must have 1 to 64 characters; links.0.url: is missing`. */
export function joinProblems(problems: readonly ShapeProblem[]): string {
  return problems.map(({ at, message }) => (at.length ? `${at.join(".")}: ${message}` : message)).join("; ");
}

const types: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

function describe(issue: z.core.$ZodRawIssue): string | undefined {
  const isMissing = issue.input === undefined;
  if (issue.code === "invalid_type") return isMissing ? "is missing" : `must be ${types[issue.expected]}`;
  if (issue.code === "invalid_value")
    return isMissing ? "is missing" : `must be one of: ${issue.values.join(", ")}`;
  if (issue.code === "invalid_union" && Array.isArray(issue.options))
    return `must be one of: ${issue.options.join(", ")}`;
  return undefined;
}

/** Creates a schema's error option: "is missing" for undefined, otherwise "must be …". */
function createMessage(be: string): { error: (issue: { readonly input?: unknown }) => string } {
  return { error: ({ input }) => (input === undefined ? "is missing" : `must be ${be}`) };
}

export function text(limits: { min?: number; max?: number } = {}) {
  const { min = 0, max = Number.POSITIVE_INFINITY } = limits;
  const range = max === Number.POSITIVE_INFINITY ? `at least ${min}` : `${min} to ${max}`;
  const message = `must have ${range} characters`;
  return z.string().refine(({ length }) => length >= min && length <= max, message);
}

/** A UUID of any version, like the service's ids. */
export const uuid = z
  .string(createMessage("a UUID"))
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, "must be a UUID");

export function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const message = createMessage(`an integer ${range}`);
  return z
    .number(message)
    .refine((value) => Number.isSafeInteger(value) && value >= min && value <= max, message);
}

/** Schema for an integer sent as a string of digits, as in a query. */
export function digits(min: number, max?: number) {
  return z.preprocess(
    (value) => (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : Number.NaN),
    integer(min, max),
  );
}

/** Schema for an object without other fields, for input to the emulator. */
export function strictObject<F extends z.core.$ZodShape>(fields: F) {
  return z.strictObject(fields, {
    error: ({ code }) =>
      code === "unrecognized_keys" ? `is unknown; use one of ${Object.keys(fields).join(", ")}` : undefined,
  });
}
