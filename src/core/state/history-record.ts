import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type DeepReadonly, parseJson, plainLine } from "../../base/text/index.js";
import { describeProject } from "./project-identity.js";
import {
  address,
  type Entry,
  entryForm,
  fields,
  holdForm,
  isDigest,
  type LongValue,
  longValue,
  projectIdentityForm,
  type State,
} from "./state.js";

const optional = z.exactOptional(z.string());

const serial = z.int().nonnegative();

/** It becomes an argument of git. */
const gitCommit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);

const change = z.object({ before: z.exactOptional(entryForm), after: z.exactOptional(entryForm) });

export type RecordedChange = DeepReadonly<z.infer<typeof change>>;

const actor = z.object({
  /** The name of the CI's user, else of the machine's. Never an email address. */
  user: optional,
  host: optional,
  /** The name of the CI system. */
  ci: optional,
  /** The page of the CI run. */
  run: optional,
});

/** Who ran the command and where. Everything is text from outside. */
export type Actor = DeepReadonly<z.infer<typeof actor>>;

const definitions = z.object({
  commit: gitCommit,
  /** The files differ from the commit. */
  modified: z.boolean(),
  /** The project folder in the repository; "" at its root. */
  folder: z.string(),
  /** The main file, relative to that folder. */
  file: z.string(),
  environment: optional,
});

/** Where the applied files are in git. */
export type Definitions = DeepReadonly<z.infer<typeof definitions>>;

const result = z.object({
  address,
  action: z.string(),
  status: z.string(),
  reason: optional,
  /** The name of a deleted object, which may have had no entry. */
  label: optional,
  /** The error's code. */
  problem: optional,
  /** What fields had in the account that were edited elsewhere, and that this change overwrote. */
  overwritten: z.exactOptional(fields),
});

/** How a change ended: names of the plan's actions, reasons and error codes. */
export type RecordedResult = DeepReadonly<z.infer<typeof result>>;

/** Not strict: a newer version may record more fields. */
const recordedHold = z.object(holdForm.shape);
const recordedProject = z.object(projectIdentityForm.shape);

const pullRequest = z.object({
  number: serial,
  /** Its page. */
  url: optional,
  author: optional,
  /** Those whose approval of its last commit counted; absent if the code host was not asked, or did not say. */
  approvers: z.exactOptional(z.array(z.string())),
  /** How many were required; absent if that was not asked. */
  required: z.exactOptional(serial),
  /** Changes that came from it. */
  changes: z.exactOptional(z.array(address)),
  /** Changes that came from it or from another of the pull requests. */
  possible: z.exactOptional(z.array(address)),
});

/** A pull request that was applied. Names are text from outside. */
export type RecordedPullRequest = DeepReadonly<z.infer<typeof pullRequest>>;

const commitFacts = z.object({
  /** Such as `avatarops apply`. */
  command: z.string(),
  by: actor,
  /** The commit of the files; absent if they are in no repository. */
  definitions: z.exactOptional(definitions),
  /** Digest of the plan. */
  plan: optional,
  pullRequests: z.exactOptional(z.array(pullRequest)),
  /** How each change of the plan ended. */
  results: z.exactOptional(z.array(result)),
  /** Other objects were left out of the plan. */
  partial: z.exactOptional(z.literal(true)),
  /** Addresses that were renamed in the state. */
  moved: z.exactOptional(z.object({ from: address, to: address })),
  /** The recorded project that was replaced, and the new one. */
  project: z.exactOptional(z.object({ from: z.exactOptional(recordedProject), to: recordedProject })),
  /** What a rollback went back to. */
  restored: z.exactOptional(z.object({ serial, commit: z.exactOptional(gitCommit) })),
  /** A hold that was placed. */
  held: z.exactOptional(recordedHold),
  /** The holds that were ended, each with the addresses that it ended for. */
  released: z.exactOptional(z.array(recordedHold)),
});

/** What a command says about its commit. */
export type CommitFacts = DeepReadonly<z.infer<typeof commitFacts>>;

/**
 * What is kept of each commit of a state, for people and for `rollback`. It has what the state had before and after
 * for each object that changed, so that it can be read without the records around it, some of which may be lost.
 * Values are as in the state: short ones as they are, long ones as digests, no secret. The texts of these digests are
 * beside the objects, each once. Unknown keys are left out: a record is only read, so nothing is lost.
 */
const commitRecord = z.object({
  /** Version of the record's format. */
  record: z.literal(1),
  lineage: z.string(),
  /** Serial of the state that the commit made. */
  serial,
  /** ISO 8601, by our clock. */
  at: z.string(),
  ...commitFacts.shape,
  /** Of an earlier version, which recorded only the pull request of the last commit. */
  pullRequest: z.exactOptional(pullRequest),
  /** What an interrupted run had done, found by the next one: `command` is that next one's. */
  recovered: z.exactOptional(z.literal(true)),
  /** By address: the objects whose entries changed, or that were written although theirs did not. */
  objects: z.record(address, change),
  /** By digest: the long texts of the objects, and those that were overwritten, as far as the run knew them. */
  texts: z.exactOptional(z.record(z.string(), longValue)),
});

export type CommitRecord = DeepReadonly<z.infer<typeof commitRecord>>;

/** A record that cannot be used: written by a newer version, or damaged. */
export interface UnreadableRecord {
  readonly unreadable: "newer" | "damaged";
  /** As far as it is known. */
  readonly serial?: number | undefined;
}

/** The text of the record of a commit, on one line. */
export function encodeRecord(
  facts: CommitFacts,
  { before, after, at, recovered, written, texts }: RecordedCommit,
): string {
  const { lineage, serial } = after;
  const record = {
    record: 1,
    lineage,
    serial,
    at,
    ...facts,
    ...(recovered && { recovered }),
    objects: changedObjects(before, after.objects, written),
  } satisfies CommitRecord;
  const named = collectTexts(record, texts);
  return JSON.stringify({ ...record, ...(named.size > 0 && { texts: Object.fromEntries(named) }) });
}

export interface RecordedCommit {
  /** The objects of the stored state. */
  readonly before: State["objects"];
  readonly after: Pick<State, "objects" | "lineage" | "serial">;
  readonly at: string;
  readonly recovered: true | undefined;
  /** Addresses to record even if nothing changed in the state. */
  readonly written?: ReadonlySet<string>;
  /** By digest: the long texts that are known. */
  readonly texts: ReadonlyMap<string, LongValue>;
}

/** Parses the text of a record. Never throws: the other records are of use without it. */
export function decodeRecord(text: string): CommitRecord | UnreadableRecord {
  const value = parseJson(text);
  const checked = commitRecord.safeParse(value);
  if (checked.success) return checked.data;
  const { record: version, serial } = readableFacts.safeParse(value).data ?? {};
  const unreadable = version !== undefined && version > 1 ? "newer" : "damaged";
  return { unreadable, serial };
}

/** The pull requests of a record that a change came from (`known`), and those that it may have come from. */
export function pullRequestsOf(
  { pullRequest, pullRequests = pullRequest ? [pullRequest] : [] }: CommitRecord,
  address: string,
): Readonly<Record<"known" | "possible", readonly RecordedPullRequest[]>> {
  const known = pullRequests.filter(({ changes }) => changes?.includes(address));
  // An earlier version did not record which changes came from it.
  const possible = pullRequests.filter(({ changes, possible }) =>
    changes ? possible?.includes(address) : possible === undefined || possible.includes(address),
  );
  return { known, possible };
}

/** What is said of each action that was carried out; others are named as they are. */
const doneWords: Readonly<Record<string, string>> = {
  ...{ create: "created", update: "updated", adopt: "adopted", supersede: "superseded" },
  ...{ delete: "deleted", forget: "forgotten" },
};

/** The text of a record as one line, such as "apply: 2 updated, 1 created (production)"; at least the command. */
export function summarizeRecord(text: string): string {
  const record = decodeRecord(text);
  if ("unreadable" in record) return "avatarops";
  const { command, results = [], moved, project, objects, definitions } = record;
  const environment = definitions?.environment;
  const ended = results.map(({ action, status }) =>
    status === "applied" ? (doneWords[action] ?? action) : status,
  );
  const told = new Set(results.map((one) => one.address));
  const others = moved ? [] : Object.entries(objects).filter(([address]) => !told.has(address));
  const recorded = others.map(([, { before, after }]) =>
    after ? (before ? "changed" : "added") : "removed",
  );
  const counts = new Map<string, number>();
  for (const word of [...ended, ...recorded]) counts.set(word, (counts.get(word) ?? 0) + 1);
  const phrases = [...counts].sort(([, one], [, other]) => other - one);
  const what = [
    ...(moved ? [`${moved.from} is now ${moved.to}`] : []),
    ...(project ? [`now of ${describeProject(project.to)}`] : []),
    ...phrases.map(([word, count]) => `${count} ${word}`),
  ];
  const name = command.replace(/^avatarops /, "") + (what.length > 0 ? `: ${what.join(", ")}` : "");
  return plainLine(environment === undefined ? name : `${name} (${environment})`);
}

function changedObjects(
  before: State["objects"],
  after: State["objects"],
  written: ReadonlySet<string> | undefined,
): CommitRecord["objects"] {
  const addresses = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return Object.fromEntries(
    addresses.flatMap((address): [string, RecordedChange][] => {
      const [old, now] = [own(before, address), own(after, address)];
      if (isDeepStrictEqual(old, now) && !written?.has(address)) return [];
      return [[address, { ...(old && { before: old }), ...(now && { after: now }) }]];
    }),
  );
}

/** How long the texts of a record may be together, in UTF-16 code units: a longer string than half a gigabyte cannot be made. */
const longestTexts = 32_000_000;

/** The known texts whose digests a record has; if they are too long together, first those that no later record will have. */
function collectTexts(
  { objects, results = [] }: Pick<CommitRecord, "objects" | "results">,
  known: ReadonlyMap<string, LongValue>,
): ReadonlyMap<string, LongValue> {
  const changes = Object.values(objects);
  const values = [
    ...results.map(({ overwritten }) => overwritten),
    ...changes.map(({ before }) => before?.applied),
    ...changes.map(({ after }) => after?.applied),
  ].flatMap((fields) => Object.values(fields ?? {}));
  const named = new Map<string, LongValue>();
  let left = longestTexts;
  for (const value of values) {
    if (!isDigest(value) || named.has(value.digest)) continue;
    const text = known.get(value.digest);
    if (text === undefined || value.length > left) continue;
    named.set(value.digest, text);
    left -= value.length;
  }
  return named;
}

/** What the state says of an object, without what was only observed. */
function own(objects: State["objects"], address: string): Entry | undefined {
  const entry = Object.hasOwn(objects, address) ? objects[address] : undefined;
  if (!entry) return undefined;
  const { inSyncAt: _, ...recorded } = entry;
  return recorded;
}

const readableFacts = z.object({
  record: z.exactOptional(z.int()),
  serial: z.exactOptional(serial),
});
