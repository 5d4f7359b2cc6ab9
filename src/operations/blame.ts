import { isDeepStrictEqual } from "node:util";
import { toPlace } from "../base/diagnostics/index.js";
import { matchesStored } from "../core/engine/index.js";
import { definitionsIn, objectHistory, sentencesIn } from "../core/history/index.js";
import { type Field, withLineFeeds } from "../core/kinds/index.js";
import { type Declaration, declaredAt, firstLineOf, type Manifest } from "../core/manifest/index.js";
import type { StoredValue } from "../core/state/index.js";
import { placeInComposition } from "../core/templates/index.js";
import { type BlameDocument, blameDocument, type SentenceOrigin } from "../output/documents/index.js";
import { kindAt, openHistory, type ProjectHistory, readRecords } from "./project-history.js";
import { type RenderedText, renderDeclared } from "./render-declared.js";
import type { Runtime } from "./runtime.js";

/**
 * Each sentence of a live text, and what brought it live. Its words keep their origin: a sentence that was moved, or was
 * gone for a while, has the oldest one.
 *
 * @param options.field default: the prompt.
 * @throws UsageError, InvalidProjectError, ServiceError
 */
export async function blame(
  runtime: Runtime,
  address: string,
  { field }: { readonly field?: string | undefined },
): Promise<BlameDocument> {
  const past = await openHistory(runtime);
  const live = await renderDeclared(runtime, address, { field, live: true }, past.manifest);
  const { origins, recorded, missing } = await readOrigins(past, live);
  const edited: SentenceOrigin =
    missing === undefined ? { by: "dashboard", at: live.updatedAt } : { by: "unknown", missing };
  const places = findPlaces(past.manifest, live);
  const sentences = sentencesIn(withLineFeeds(live.text)).map(({ id, text }) => {
    const known = missing !== undefined || recorded.has(id) ? origins.get(id) : undefined;
    return { text, ...places.get(id), ...(known ?? edited) };
  });
  return blameDocument(address, live.field, sentences);
}

/** Where the sentences of a declared text are written, by their ids. */
function findPlaces({ declarations }: Manifest, { address, field }: RenderedText) {
  const declaration = declarations.find((one) => one.address === address) as Declaration;
  const origin = declaration.origins[field];
  const text = (declaration.spec[field] ?? "") as string;
  return new Map(
    sentencesIn(text).map(({ id, start }) => {
      const { file, line } =
        origin?.at === "template"
          ? toPlace(placeInComposition(origin.composition, { start, end: start }))
          : declaredAt(declaration, field);
      const before = firstLineOf(declaration, field) ? text.slice(0, start) : "";
      return [id, { file, line: line + before.split("\n").length - 1 }];
    }),
  );
}

/**
 * What first brought each sentence, by its id; the sentences of the text that was recorded last, or why that is not known.
 * Only digests are recorded: the live text stands for its own.
 */
async function readOrigins(past: ProjectHistory, { address, field, text }: RenderedText) {
  const kind = kindAt(address);
  const records = [];
  for await (const item of objectHistory(readRecords(past), address))
    if (item.is === "record") records.push(item);
  const lost: SentenceOrigin = { by: "unknown", missing: "no record is kept of what brought it" };
  const origins = new Map<string, SentenceOrigin>();
  let recorded: ReadonlySet<string> = new Set();
  let missing: string | undefined;
  let last: StoredValue | undefined;
  for (const { record, address: then } of records.reverse()) {
    const { serial, at, definitions, results, recovered } = record;
    // What is recorded and was not written is what the account had.
    const isWritten = results?.some(
      (one) => one.address === then && one.status === "applied" && one.reason !== "converged",
    );
    const by = isWritten || recovered ? "apply" : "dashboard";
    for (const [side, origin] of [
      ["before", lost],
      ["after", { by, serial, at, commit: definitions?.commit }],
    ] as const) {
      const stored = record.objects[then]?.[side]?.applied[field];
      if (stored === undefined || isDeepStrictEqual(stored, last)) continue;
      last = stored;
      const found = matchesStored(kind.fields[field] as Field, stored, text)
        ? { value: text }
        : await past.finder.find({ address, kind, field, stored, definitions: definitionsIn(record) });
      if ("missing" in found) {
        missing ??= `the text ${side === "after" ? "of" : "before"} serial ${serial} is not known, because ${found.missing}`;
        continue;
      }
      recorded = new Set(sentencesIn(withLineFeeds(found.value as string)).map(({ id }) => id));
      for (const id of recorded)
        if (!origins.has(id)) origins.set(id, missing === undefined ? origin : { ...origin, missing });
      missing = undefined;
    }
  }
  if (!isDeepStrictEqual(past.state.objects[address]?.applied[field], last)) missing ??= lost.missing;
  return { origins, recorded, missing };
}
