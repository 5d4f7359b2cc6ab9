/**
 * First line of each comment or pull request description that we post: an HTML comment that lets later runs find the
 * post. In a description, people may add text above it. Anyone can write a marker, so a post only counts as ours if the
 * author is our user.
 */
export interface Marker {
  /** Purpose of the post, such as "review". */
  readonly use: string;
  /** Facts that identify the post, such as its project and environment. */
  readonly about: Readonly<Record<string, string>>;
}

/** Facts about a run, written into the marker. */
export type MarkerFacts = Readonly<Record<string, string | undefined>>;

/** Formats the marker line. Unlike the marker, `facts` may differ between runs. */
export function formatMarker(marker: Marker, facts: MarkerFacts = {}): string {
  return `${formatStart(marker)}${formatPairs(facts)} -->`;
}

/** Returns whether text begins with this marker. */
export function hasMarker(text: string, marker: Marker): boolean {
  return text.startsWith(`${formatStart(marker)} `);
}

/** Returns the position of a complete marker anywhere in a text, or undefined if there is none. */
export function findMarker(text: string, marker: Marker): number | undefined {
  const start = text.indexOf(`${formatStart(marker)} `);
  return start === -1 || !text.includes("-->", start) ? undefined : start;
}

/** Reads the facts after a post's marker. Returns none if the text has another marker. */
export function readMarker(text: string, marker: Marker): MarkerFacts {
  return hasMarker(text, marker) ? parseFacts(text) : {};
}

/** Reads the facts after any marker with this use. Returns none if the text has no such marker. */
export function readFacts(text: string, use: string): MarkerFacts {
  return text.startsWith(`<!-- avatarops:${use} `) ? parseFacts(text) : {};
}

function parseFacts(text: string): MarkerFacts {
  const rest = text.slice(text.indexOf(" ;") + 2, text.indexOf("-->"));
  return Object.fromEntries(
    rest
      .trim()
      .split(" ")
      .flatMap((pair) => {
        const [name, value] = pair.split("=");
        return name && value !== undefined ? [[name, decodeValue(value)]] : [];
      }),
  );
}

function formatStart({ use, about }: Marker): string {
  return `<!-- avatarops:${use}${formatPairs(about)} ;`;
}

function formatPairs(values: MarkerFacts): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}=${encodeValue(value)}`))
    .join("");
}

/** Encodes a value, including "-", because "--" may end an HTML comment. */
function encodeValue(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, "\ufffd")).replaceAll("-", "%2D");
}

function decodeValue(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
