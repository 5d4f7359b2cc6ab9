/**
 * Parses responses tolerantly. Unknown fields are dropped, and enumerations are open strings. Null or missing strings
 * become "" and lists become [], but numbers and mappings become undefined, because 0 and {} are meaningful values.
 */
import * as z from "zod";
import { describeIssue, idForm, isId } from "../../base/text/index.js";
import { createShapeError } from "./failure.js";
import type { SendRequest, ServiceRequest } from "./request.js";

/** Id that is safe as a path segment. */
export const id = z.string().refine(isId, { error: `is not an id: ids are ${idForm}` });

export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");

export const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

export const amount = z
  .number()
  .nullish()
  .transform((value) => value ?? undefined);

export function createListShape<T>(entry: z.ZodType<T>) {
  return z
    .array(entry)
    .nullish()
    .transform((value) => value ?? []);
}

/** Sends a request and parses the data as `shape`. Throws `wrong-shape`, with the path of the first mismatch. */
export async function requestShape<T>(
  send: SendRequest,
  request: ServiceRequest,
  shape: z.ZodType<T>,
): Promise<T> {
  const read = shape.safeParse(await send(request), { reportInput: true });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw createShapeError(
    request,
    undefined,
    formatPath(issue?.path ?? []),
    `it ${issue ? describeIssue(issue) : "cannot be read"}`,
  );
}

function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (at, key) => at + (typeof key === "number" ? `[${key}]` : `.${String(key)}`),
    "data",
  );
}
