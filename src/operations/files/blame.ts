import { isDeepStrictEqual } from "node:util";
import { matchesStored } from "../../core/engine/index.js";
import { openTexts, readObjectHistory, splitSentences } from "../../core/history/index.js";
import { type Field, normalizeLineEnds } from "../../core/kinds/index.js";
import { type CommitRecord, type StoredValue, selectPullRequests } from "../../core/state/index.js";
import {
  type BlameDocument,
  type BlamedSentence,
  toBlameDocument,
  toShownPullRequest,
} from "../../output/documents/index.js";
import type { Runtime } from "../runtime/runtime.js";
import { openHistory, type ProjectHistory, readKind, readRecords } from "../state/project-history.js";
import { type RenderedText, renderDeclared } from "./render-declared.js";

type SentenceOrigin = Omit<BlamedSentence, "text">;

/**
 * Returns each sentence of a live text with its origin. A sentence that was moved, or removed and added again, keeps
 * its oldest origin.
 *
 * @param field Default: the prompt.
 * @throws UsageError, InvalidProjectError, ServiceError
 */
export async function findBlame(runtime: Runtime, address: string, field?: string): Promise<BlameDocument> {
  const past = await openHistory(runtime);
  const live = await renderDeclared(runtime, address, { field, live: true }, past.manifest);
  const { origins, recorded, missing } = await readOrigins(past, live);
  const isKnown = missing === undefined;
  const edited: SentenceOrigin = isKnown
    ? { by: "dashboard", at: live.updatedAt }
    : { by: "unknown", missing };
  const sentences = splitSentences(normalizeLineEnds(live.text)).map(({ id, text }) => ({
    text,
    ...((isKnown && !recorded.has(id) ? undefined : origins.get(id)) ?? edited),
  }));
  return toBlameDocument(address, live.field, sentences);
}

/**
 * Returns the origin of each sentence by id, and the last recorded sentences or why they are unknown. Compares recorded
 * digests with the live text, in case an interrupted run did not record the text itself.
 */
async function readOrigins(past: ProjectHistory, { address, field, text }: RenderedText) {
  const kind = readKind(address, past.manifest.service.profile);
  const declared = past.manifest.declarations.find((one) => one.address === address);
  const items = [];
  const texts = openTexts();
  for await (const item of readObjectHistory(readRecords(past), address)) {
    items.push(item);
    if (item.is === "record") texts.add(item.record);
  }
  const origins = new Map<string, SentenceOrigin>();
  let recorded: ReadonlySet<string> = new Set();
  let missing: string | undefined;
  let last: StoredValue | undefined;
  for (const item of items.reverse()) {
    if (item.is !== "record") {
      missing ??= "history records are missing or unreadable";
      continue;
    }
    const { serial, at, definitions, results, recovered, objects } = item.record;
    const stored = objects[item.address]?.after?.applied[field];
    if (stored === undefined || isDeepStrictEqual(stored, last)) continue;
    last = stored;
    const found = matchesStored(kind.fields[field] as Field, stored, text)
      ? { value: text }
      : texts.find(stored);
    if ("missing" in found) {
      missing ??= `the text of serial ${serial} is unavailable, because ${found.missing}`;
      continue;
    }
    // A text that avatarops recorded but did not write was edited in the account.
    const isWritten = results?.some((one) => one.address === item.address && one.reason !== "converged");
    const by = isWritten || recovered ? "apply" : "dashboard";
    const pulls = by === "apply" ? listPullRequests(item.record, item.address) : {};
    recorded = new Set(splitSentences(normalizeLineEnds(found.value as string)).map(({ id }) => id));
    for (const id of recorded)
      if (!origins.has(id))
        origins.set(id, { by, serial, at, commit: definitions?.commit, ...pulls, missing });
    missing = undefined;
  }
  if (declared?.kind.fields[field]?.ignored)
    missing ??= "the field is in ignore_changes, so its changes are not recorded";
  return { origins, recorded, missing };
}

function listPullRequests(record: CommitRecord, address: string) {
  const { known, possible } = selectPullRequests(record, address);
  return {
    ...(known.length > 0 && { pull_requests: known.map(toShownPullRequest) }),
    ...(possible.length > 0 && { possible_pull_requests: possible.map(toShownPullRequest) }),
  };
}
