/**
 * The first line of a text of ours: an HTML comment, which no host shows. It says what the text is about, so that the
 * next run finds it, and facts of this run. Who could write it is anybody: a text is ours if its author is, too.
 */
export interface Marker {
  /** Such as "review". */
  readonly use: string;
  /** What makes it one of its kind, such as project and environment. */
  readonly about: Readonly<Record<string, string>>;
}

/** What a run says of itself in a marker. */
export type MarkerFacts = Readonly<Record<string, string | undefined>>;

/** The line; `facts` may differ from run to run. */
export function markerLine(marker: Marker, facts: MarkerFacts = {}): string {
  return `${markerStart(marker)}${pairs(facts)} -->`;
}

/** Whether a text begins with this marker. */
export function hasMarker(text: string, marker: Marker): boolean {
  return text.startsWith(`${markerStart(marker)} `);
}

/** The facts in the marker of a text. */
export function readMarker(text: string, marker: Marker): MarkerFacts {
  return hasMarker(text, marker) ? factsIn(text) : {};
}

/** The same, whatever the text is about; none if its marker is of another use. */
export function readFacts(text: string, use: string): MarkerFacts {
  return text.startsWith(`<!-- avatarops:${use} `) ? factsIn(text) : {};
}

function factsIn(text: string): MarkerFacts {
  const rest = text.slice(text.indexOf(" ;") + 2, text.indexOf("-->"));
  return Object.fromEntries(
    rest
      .trim()
      .split(" ")
      .flatMap((pair) => {
        const [name, value] = pair.split("=");
        return name && value !== undefined ? [[name, decoded(value)]] : [];
      }),
  );
}

function markerStart({ use, about }: Marker): string {
  return `<!-- avatarops:${use}${pairs(about)} ;`;
}

function pairs(values: MarkerFacts): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}=${encoded(value)}`))
    .join("");
}

/** Also "-", because "--" may end a comment. */
function encoded(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, "\ufffd")).replaceAll("-", "%2D");
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
