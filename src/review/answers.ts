import type * as z from "zod";
import { complaintOf } from "../text/index.js";
import { HostError } from "./errors.js";

/**
 * An answer as the part of it that we use. The types of the client libraries promise more than hosts keep.
 *
 * @throws HostError with the place of what is wrong.
 */
export function checked<Shape>(shape: z.ZodType<Shape>, answer: unknown): Shape {
  const parsed = shape.safeParse(answer, { reportInput: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue?.path.map(String).join(".") || "it";
  const problem = issue ? complaintOf(issue) : "is wrong";
  throw new HostError(`the answer has another shape than documented: ${at} ${problem}.`, {
    code: "host-wrong-answer",
    outcome: "unknown",
  });
}

/** All entries of a list, page by page until one is not full. */
export async function* paged<Entry>(
  read: (page: number) => Promise<readonly Entry[]>,
  perPage: number,
): AsyncGenerator<Entry> {
  for (let page = 1; page <= mostPages; page += 1) {
    const entries = await read(page);
    yield* entries;
    if (entries.length < perPage) return;
  }
}

/** A whole list, in an order that not every host can be asked for. */
export async function newestFirst<Entry extends { readonly id: number }>(
  found: AsyncIterable<Entry>,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of found) entries.push(entry);
  return entries.toSorted((one, other) => other.id - one.id);
}

/** A host that ignores the number of the page would answer for ever. */
const mostPages = 1000;
