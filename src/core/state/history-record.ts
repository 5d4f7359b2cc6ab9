import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type DeepReadonly, parseJson, toPlainLine } from "../../base/text/index.js";
import { describeProject } from "./project-identity.js";
import { gitCommit, runFacts } from "./run-facts.js";
import {
  address,
  entryForm,
  fields,
  holdForm,
  isDigest,
  type LongValue,
  longValue,
  projectIdentityForm,
  type State,
  type StateEntry,
} from "./state.js";

const optional = z.exactOptional(z.string());

const serial = z.int().nonnegative();

const change = z.object({ before: z.exactOptional(entryForm), after: z.exactOptional(entryForm) });

export type RecordedChange = DeepReadonly<z.infer<typeof change>>;

const result = z.object({
  address,
  action: z.string(),
  status: z.string(),
  reason: optional,
  /** Name of a deleted object. Recorded here, because the object may have had no state entry. */
  label: optional,
  /** Error code. */
  problem: optional,
  /** Values edited elsewhere that this change overwrote, by field. */
  overwritten: z.exactOptional(fields),
});

/** Change outcome, with its action, reason and error code. */
export type RecordedResult = DeepReadonly<z.infer<typeof result>>;

/** Schema of a recorded hold. Not strict, because a newer version may record more fields. */
const recordedHold = z.object(holdForm.shape);
const recordedProject = z.object(projectIdentityForm.shape);

const pullRequest = z.object({
  number: serial,
  url: optional,
  author: optional,
  /** Approvers of the last commit. Omitted if the code host was not queried or did not report them. */
  approvers: z.exactOptional(z.array(z.string())),
  /** Number of required approvals. Omitted if not queried. */
  required: z.exactOptional(serial),
  /** Addresses changed by this pull request. */
  changes: z.exactOptional(z.array(address)),
  /** Addresses changed by this pull request or by another one applied with it. */
  possible: z.exactOptional(z.array(address)),
});

/** Applied pull request. Names are untrusted text. */
export type RecordedPullRequest = DeepReadonly<z.infer<typeof pullRequest>>;

const commitFacts = z.object({
  /** Command, such as `avatarops apply`. */
  command: z.string(),
  ...runFacts.shape,
  /** Plan digest. */
  plan: optional,
  pullRequests: z.exactOptional(z.array(pullRequest)),
  /** Outcome of each planned change. */
  results: z.exactOptional(z.array(result)),
  /** Whether the plan was limited to some objects. */
  partial: z.exactOptional(z.literal(true)),
  /** Old and new address of an object that was renamed in the state. */
  moved: z.exactOptional(z.object({ from: address, to: address })),
  /** Previous project and its replacement. */
  project: z.exactOptional(z.object({ from: z.exactOptional(recordedProject), to: recordedProject })),
  /** Previous base URL of the account and its replacement. */
  service: z.exactOptional(z.object({ from: z.string(), to: z.string() })),
  /** Rollback target. */
  restored: z.exactOptional(z.object({ serial, commit: z.exactOptional(gitCommit) })),
  /** New hold. */
  held: z.exactOptional(recordedHold),
  /** Released holds, with the released addresses. */
  released: z.exactOptional(z.array(recordedHold)),
});

/** Facts about a commit that the command records. */
export type CommitFacts = DeepReadonly<z.infer<typeof commitFacts>>;

/**
 * Record of a state commit, for users and `rollback`. It contains each changed object both before and after the change,
 * because the neighboring records may be lost.
 */
const commitRecord = z.object({
  /** Version of the record format. */
  record: z.literal(1),
  lineage: z.string(),
  /** Serial of the resulting state. */
  serial,
  /** Time of the commit (ISO 8601), by the clock of the machine that ran it. */
  at: z.string(),
  ...commitFacts.shape,
  /** Pull request of the last commit. Only in records from earlier versions. */
  pullRequest: z.exactOptional(pullRequest),
  /** Whether the changes come from an interrupted run, and `command` only recorded them. */
  recovered: z.exactOptional(z.literal(true)),
  /** All objects that were written or whose entry changed, by address. */
  objects: z.record(address, change),
  /** Known long texts of these objects and of overwritten edits, by digest. */
  texts: z.exactOptional(z.record(z.string(), longValue)),
});

export type CommitRecord = DeepReadonly<z.infer<typeof commitRecord>>;

/** Record that is damaged or was written by a newer version. */
export interface UnreadableRecord {
  readonly unreadable: "newer" | "damaged";
  /** Serial, or undefined if it is also unreadable. */
  readonly serial?: number | undefined;
}

/** Encodes a commit record on one line. */
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
    objects: findChangedObjects(before, after.objects, written),
  } satisfies CommitRecord;
  const named = collectTexts(record, texts);
  return JSON.stringify({ ...record, ...(named.size > 0 && { texts: Object.fromEntries(named) }) });
}

export interface RecordedCommit {
  /** Objects of the stored state. */
  readonly before: State["objects"];
  readonly after: Pick<State, "objects" | "lineage" | "serial">;
  readonly at: string;
  readonly recovered: true | undefined;
  /** Addresses to record even if nothing changed in the state. */
  readonly written?: ReadonlySet<string>;
  /** Known long texts, by digest. */
  readonly texts: ReadonlyMap<string, LongValue>;
}

/** Parses a record. Never throws, because the other records remain useful. */
export function decodeRecord(text: string): CommitRecord | UnreadableRecord {
  const value = parseJson(text);
  const checked = commitRecord.safeParse(value);
  if (checked.success) return checked.data;
  const { record: version, serial } = readableFacts.safeParse(value).data ?? {};
  const unreadable = version !== undefined && version > 1 ? "newer" : "damaged";
  return { unreadable, serial };
}

/** Returns the pull requests that certainly (`known`) or possibly (`possible`) made a change. */
export function selectPullRequests(
  { pullRequest, pullRequests = pullRequest ? [pullRequest] : [] }: CommitRecord,
  address: string,
): Readonly<Record<"known" | "possible", readonly RecordedPullRequest[]>> {
  const known = pullRequests.filter(({ changes }) => changes?.includes(address));
  // Earlier versions did not record the changes of each pull request.
  const possible = pullRequests.filter(({ changes, possible }) =>
    changes ? possible?.includes(address) : possible === undefined || possible.includes(address),
  );
  return { known, possible };
}

/** Participles of the applied actions. */
const participles: Readonly<Record<string, string>> = {
  ...{ create: "created", update: "updated", adopt: "adopted", supersede: "superseded" },
  ...{ delete: "deleted", forget: "forgotten" },
};

/** Summarizes a record on one line, such as "apply: 2 updated, 1 created (production)". */
export function summarizeRecord(text: string): string {
  const record = decodeRecord(text);
  if ("unreadable" in record) return "avatarops";
  const { command, results = [], moved, project, service, objects, definitions } = record;
  const environment = definitions?.environment;
  const ended = results.map(({ action, status }) =>
    status === "applied" ? (participles[action] ?? action) : status,
  );
  const reported = new Set(results.map((one) => one.address));
  const others = moved ? [] : Object.entries(objects).filter(([address]) => !reported.has(address));
  const recorded = others.map(([, { before, after }]) =>
    after ? (before ? "changed" : "added") : "removed",
  );
  const counts = new Map<string, number>();
  for (const word of [...ended, ...recorded]) counts.set(word, (counts.get(word) ?? 0) + 1);
  const phrases = [...counts].sort(([, one], [, other]) => other - one);
  const parts = [
    ...(moved ? [`${moved.from} is now ${moved.to}`] : []),
    ...(project ? [`now of ${describeProject(project.to)}`] : []),
    ...(service ? [`now of ${service.to}`] : []),
    ...phrases.map(([word, count]) => `${count} ${word}`),
  ];
  const name = command.replace(/^avatarops /, "") + (parts.length > 0 ? `: ${parts.join(", ")}` : "");
  return toPlainLine(environment === undefined ? name : `${name} (${environment})`);
}

function findChangedObjects(
  before: State["objects"],
  after: State["objects"],
  written: ReadonlySet<string> | undefined,
): CommitRecord["objects"] {
  const addresses = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return Object.fromEntries(
    addresses.flatMap((address): [string, RecordedChange][] => {
      const [old, now] = [getEntry(before, address), getEntry(after, address)];
      if (isDeepStrictEqual(old, now) && !written?.has(address)) return [];
      return [[address, { ...(old && { before: old }), ...(now && { after: now }) }]];
    }),
  );
}

/**
 * Maximum total length of a record's texts, in UTF-16 code units. A JavaScript string cannot exceed about 500 million
 * code units.
 */
const maxTextsLength = 32_000_000;

/**
 * Collects the known texts whose digests are in a record. If their total length exceeds the maximum, replaced texts
 * come first, because later records do not contain them.
 */
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
  let left = maxTextsLength;
  for (const value of values) {
    if (!isDigest(value) || named.has(value.digest)) continue;
    const text = known.get(value.digest);
    if (text === undefined || value.length > left) continue;
    named.set(value.digest, text);
    left -= value.length;
  }
  return named;
}

/** Returns an object's entry without its observation. */
function getEntry(objects: State["objects"], address: string): StateEntry | undefined {
  const entry = Object.hasOwn(objects, address) ? objects[address] : undefined;
  if (!entry) return undefined;
  const { inSyncAt: _, ...recorded } = entry;
  return recorded;
}

const readableFacts = z.object({
  record: z.exactOptional(z.int()),
  serial: z.exactOptional(serial),
});
