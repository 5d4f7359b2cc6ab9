/**
 * Keeps secrets out of quotes of the service. Nothing is quoted from the response to a request that stores a
 * secret (see `refusal.ts`), and only an id is taken from it (see `secrets.ts`): this is the rule, and it
 * needs no search. The API key is part of every request and not expected in any response; this file is a safety
 * net for a service that repeats the request's headers.
 */

/** A text that repeats this many characters of a secret in a row is withheld; for a shorter secret, all of them. */
const tellingLength = 8;
/** Shorter ones match everywhere by chance. */
const shortest = 4;

/**
 * Whether a text contains a part of a confidential value, plain or in a common encoding. Services also repeat values
 * with their middle or their ends removed, so any part is enough. Reads each text once, whatever its length.
 */
export function repeats(texts: readonly string[], confidential: readonly string[]): boolean {
  const forms = confidential
    .filter(Boolean)
    .flatMap(encodeForms)
    .map((form) => form.toLowerCase());
  const short = forms.filter(({ length }) => length >= shortest && length < tellingLength);
  const readings = texts.flatMap(decodeReadings);
  return (
    readings.some((text) => forms.includes(text) || short.some((form) => text.includes(form))) ||
    shareStretch(readings, forms)
  );
}

/** Indexes the parts of the shorter side, and scans the longer one. */
function shareStretch(some: readonly string[], others: readonly string[]): boolean {
  const size = (texts: readonly string[]) => texts.reduce((sum, { length }) => sum + length, 0);
  const [few, many] = size(some) < size(others) ? [some, others] : [others, some];
  const stretches = new Set<string>();
  for (const text of few)
    someStretch(text, (stretch) => {
      stretches.add(stretch);
      return false;
    });
  return many.some((text) => someStretch(text, (stretch) => stretches.has(stretch)));
}

/** Visits each part until `look` returns true; returns whether it did. */
function someStretch(text: string, look: (stretch: string) => boolean): boolean {
  for (let at = 0; at + tellingLength <= text.length; at++) {
    if (look(text.slice(at, at + tellingLength))) return true;
  }
  return false;
}

function encodeForms(value: string): string[] {
  const bytes = Buffer.from(value, "utf8");
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(bytes.toString("utf8")),
    bytes.toString("hex"),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

/** The base64 characters that depend only on the value if it starts at byte `offset` of a group of three. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64url");
  const isPartialAtEnd = (offset + bytes.length) % 3 !== 0;
  const own = text.slice(Math.ceil((offset * 8) / 6), isPartialAtEnd ? -1 : undefined);
  return own.replaceAll("-", "+").replaceAll("_", "/");
}

/** The text as it is, and after resolving its escapes, which may be nested. */
function decodeReadings(text: string): string[] {
  const readings = [text.toLowerCase()];
  for (let depth = 0; depth < 3; depth++) {
    const last = readings.at(-1) ?? "";
    const next = resolved(last);
    if (next === last) break;
    readings.push(next);
  }
  return readings;
}

/** Escapes of URLs, JSON and HTML. Each alternative has its own length, so nothing is read twice. */
const escapes =
  /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\["\\/]|&#\d{1,7};|&#x[0-9a-f]{1,6};|&(?:amp|lt|gt|quot|apos);/g;

const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function resolved(text: string): string {
  return text.replace(escapes, (found) => {
    if (found.startsWith("%")) return character(Number.parseInt(found.slice(1), 16));
    if (found.startsWith("&#x")) return character(Number.parseInt(found.slice(3), 16));
    if (found.startsWith("&#")) return character(Number.parseInt(found.slice(2), 10));
    if (found.startsWith("&")) return named[found.slice(1, -1)] ?? found;
    return found.length === 2 ? found.slice(1) : character(Number.parseInt(found.slice(2), 16));
  });
}

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code).toLowerCase() : "";
}
