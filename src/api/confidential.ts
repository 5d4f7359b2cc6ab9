/**
 * Keeping what is secret out of what the service is quoted with. What a request to store a secret is answered with is
 * not quoted at all (see `refusal.ts`): that is the rule, and needs no search. The API key goes with every request, and
 * is not expected in any answer; this is the net below, for a service that repeats the headers it was sent.
 */

/** Whether a text holds the beginning or the end of a confidential value, as it is or in a common encoding. */
export function repeats(texts: readonly string[], confidential: readonly string[]): boolean {
  const marks = confidential.filter(Boolean).flatMap(formsOf).flatMap(endsOf);
  return marks.some((mark) => texts.some((text) => text.includes(mark)));
}

/** Services also repeat values shortened in the middle, so either end is enough. */
function endsOf(form: string): string[] {
  return [form.slice(0, 8), form.slice(-8)];
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(bytes.toString("utf8")),
    bytes.toString("hex"),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ].filter((form) => form.length >= 4);
}

/** The characters of base64 that depend on the value alone when it stands `offset` bytes into a group of three. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString("base64")
    .replace(/=+$/, "");
  const isPartialAtEnd = (offset + bytes.length) % 3 !== 0;
  return text.slice(Math.ceil((offset * 8) / 6), isPartialAtEnd ? -1 : undefined);
}
