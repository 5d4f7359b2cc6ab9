import { createHash } from "node:crypto";
import { findMarker, formatMarker, type Marker, type MarkerFacts, readMarker } from "./marker.js";

/*
 * People may edit the title and description of our pull requests. The marker records digests of the texts that we
 * wrote, so an update replaces only those.
 */

/** A pull request description that contains our marker. */
export interface Description {
  readonly facts: MarkerFacts;
  /** Text above the marker. Includes our text if it was edited. */
  readonly before: string;
  /** Text below ours. */
  readonly after: string;
  /** Whether our text was edited. */
  readonly isRewritten: boolean;
}

/** Parses a description. Returns undefined if it lacks our marker. */
export function parseDescription(body: string, marker: Marker): Description | undefined {
  const text = toUnixLineEnds(body);
  const start = findMarker(text, marker);
  if (start === undefined) return undefined;
  const own = text.slice(start);
  const facts = readMarker(own, marker);
  const before = text.slice(0, start).trimEnd();
  const rest = own.slice(own.indexOf("-->") + 3);
  // Earlier versions recorded no digest.
  if (facts.text === undefined) return { facts, before, after: "", isRewritten: false };
  const [length = "", digest] = facts.text.split(".");
  if (digestText(rest.slice(0, Number(length))) === digest)
    return { facts, before, after: rest.slice(Number(length)).trimEnd(), isRewritten: false };
  return { facts, before: [before, rest.trim()].filter(Boolean).join("\n\n"), after: "", isRewritten: true };
}

/** Returns whether the title is the one that we wrote last. */
export function isOwnTitle(title: string, { facts }: Description): boolean {
  return facts.title === undefined || facts.title === digestText(title.trim());
}

/** Formats a description with our text, and with the text of others if it exists. */
export function formatDescription(
  marker: Marker,
  facts: MarkerFacts | undefined,
  { title, body }: { readonly title: string; readonly body: string },
  { before = "", after = "" }: Partial<Description> = {},
): string {
  const text = toUnixLineEnds(`\n${body.trimEnd()}`);
  const own = { ...facts, title: digestText(title.trim()), text: `${text.length}.${digestText(text)}` };
  const above = before && `${before}\n\n`;
  const below = after && !after.startsWith("\n") ? `\n\n${after}` : after;
  return `${above}${formatMarker(marker, own)}${text}${below}`;
}

/** Converts CRLF line ends, which browsers submit. */
function toUnixLineEnds(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function digestText(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 14);
}
