/**
 * How tolerantly answers are read: unknown fields are dropped, enumerations are open strings, and what the document
 * leaves nullable becomes one value. Texts that are null or absent become "". Lists become []. Numbers and objects
 * become undefined, as 0 and {} would mean something.
 */
import * as z from "zod";
import { misshapen } from "./envelope.js";
import type { Send, ServiceRequest } from "./request.js";

/** Ids are UUIDs of any version (v1 is seen), and are only ever handed back. */
export const id = z.string().min(1);

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

export function listOf<T>(entry: z.ZodType<T>) {
  return z
    .array(entry)
    .nullish()
    .transform((value) => value ?? []);
}

/** Sends a request and reads its data as `shape`; a ShapeError tells where the answer departs from it. */
export async function ask<T>(send: Send, request: ServiceRequest, shape: z.ZodType<T>): Promise<T> {
  const read = shape.safeParse(await send(request));
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw misshapen(request, undefined, pathOf(issue?.path ?? []), issue?.message ?? "it cannot be read");
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (at, key) => at + (typeof key === "number" ? `[${key}]` : `.${String(key)}`),
    "data",
  );
}
