import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { address, entryShape, fields } from "./shape.js";
import type { Entry, State, StoredValue } from "./state.js";

/**
 * What is kept of each commit of a state, for people and for `rollback`. It has what the state had before and after
 * for each object that changed, so that it can be read without the records around it, some of which may be lost.
 * Values are as in the state: short ones as they are, long ones as digests, no secret.
 */
export interface CommitRecord extends CommitFacts {
  /** Version of the record's format. */
  readonly record: 1;
  readonly lineage: string;
  /** Of the state that the commit made. */
  readonly serial: number;
  /** ISO 8601, by our clock. */
  readonly at: string;
  /** What an interrupted run had done, found by the next one: `command` is that next one's. */
  readonly recovered?: true;
  /** By address: the objects whose entries changed, or that were written although theirs did not. */
  readonly objects: Readonly<Record<string, RecordedChange>>;
}

/** An entry of the state before and after a commit; absent: not managed. */
export interface RecordedChange {
  readonly before?: Entry;
  readonly after?: Entry;
}

/** What a command tells about its commit. */
export interface CommitFacts {
  /** Such as `avatarops apply`. */
  readonly command: string;
  readonly by: Actor;
  /** The commit of the files; absent if they are in no repository. */
  readonly definitions?: Definitions;
  /** Digest of the plan. */
  readonly plan?: string;
  /** How each change of the plan ended. */
  readonly results?: readonly RecordedResult[];
  /** Addresses that were renamed in the state. */
  readonly moved?: { readonly from: string; readonly to: string };
  /** Of a rollback: what it went back to. */
  readonly restored?: { readonly serial: number; readonly commit?: string };
}

/** Who ran the command and where. Everything is text from outside. */
export interface Actor {
  /** The name of the CI's user, else of the machine's. Never an email address. */
  readonly user?: string;
  readonly host?: string;
  /** The name of the CI system. */
  readonly ci?: string;
  /** The page of the CI run. */
  readonly run?: string;
}

/** Where the applied files are in git. */
export interface Definitions {
  readonly commit: string;
  /** The files differ from the commit. */
  readonly modified: boolean;
  /** The project folder in the repository; "" at its root. */
  readonly folder: string;
  /** The main file, relative to that folder. */
  readonly file: string;
  readonly environment?: string;
}

/** How a change ended: names of the plan's actions, reasons and error codes. */
export interface RecordedResult {
  readonly address: string;
  readonly action: string;
  readonly status: string;
  readonly reason?: string;
  /** The error's code. */
  readonly problem?: string;
  /** What fields had in the account that were edited elsewhere, and that this change overwrote. */
  readonly overwritten?: Readonly<Record<string, StoredValue>>;
}

/** A record that cannot be used: written by a newer version, or damaged. */
export interface UnreadableRecord {
  readonly unreadable: "newer" | "damaged";
  /** As far as it is known. */
  readonly serial?: number;
}

/** The text of the record of a commit, on one line. */
export function encodeRecord(
  facts: CommitFacts,
  { before, after, at, recovered, written }: RecordedCommit,
): string {
  const { lineage, serial } = after;
  const record: CommitRecord = {
    ...{ record: 1, lineage, serial, at },
    ...facts,
    ...(recovered ? { recovered } : {}),
    objects: changedObjects(before, after.objects, written),
  };
  return JSON.stringify(record);
}

/** A commit to record. */
export interface RecordedCommit {
  /** The objects of the stored state. */
  readonly before: State["objects"];
  readonly after: Pick<State, "objects" | "lineage" | "serial">;
  readonly at: string;
  readonly recovered: true | undefined;
  /** Addresses to record even if nothing changed in the state. */
  readonly written?: ReadonlySet<string>;
}

/** Parses the text of a record. Never throws: the other records are of use without it. */
export function decodeRecord(text: string): CommitRecord | UnreadableRecord {
  const value = parsed(text);
  const checked = recordShape.safeParse(value);
  if (checked.success) return checked.data;
  const { record: version, serial } = looseShape.safeParse(value).data ?? {};
  const unreadable = version !== undefined && version > 1 ? "newer" : "damaged";
  return { unreadable, ...(serial === undefined ? {} : { serial }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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
      return [[address, { ...(old ? { before: old } : {}), ...(now ? { after: now } : {}) }]];
    }),
  );
}

/** What the state says of an object, without what was only observed. */
function own(objects: State["objects"], address: string): Entry | undefined {
  const entry = Object.hasOwn(objects, address) ? objects[address] : undefined;
  if (!entry) return undefined;
  const { inSyncAt: _, ...recorded } = entry;
  return recorded;
}

const changeShape: z.ZodType<RecordedChange> = z.object({
  before: z.exactOptional(entryShape),
  after: z.exactOptional(entryShape),
} satisfies Record<keyof RecordedChange, z.ZodType>);

const optional = z.exactOptional(z.string());

const serialShape = z.int().nonnegative();

/** It becomes an argument of git. */
const commitShape = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);

/** Unknown keys are left out: a record is only read, so nothing is lost. */
const recordShape: z.ZodType<CommitRecord> = z.object({
  record: z.literal(1),
  lineage: z.string(),
  serial: serialShape,
  at: z.string(),
  command: z.string(),
  recovered: z.exactOptional(z.literal(true)),
  by: z.object({ user: optional, host: optional, ci: optional, run: optional } satisfies Record<
    keyof Actor,
    z.ZodType
  >),
  definitions: z.exactOptional(
    z.object({
      commit: commitShape,
      modified: z.boolean(),
      folder: z.string(),
      file: z.string(),
      environment: optional,
    } satisfies Record<keyof Definitions, z.ZodType>),
  ),
  plan: optional,
  results: z.exactOptional(
    z.array(
      z.object({
        address,
        action: z.string(),
        status: z.string(),
        reason: optional,
        problem: optional,
        overwritten: z.exactOptional(fields),
      } satisfies Record<keyof RecordedResult, z.ZodType>),
    ),
  ),
  moved: z.exactOptional(z.object({ from: address, to: address })),
  restored: z.exactOptional(z.object({ serial: serialShape, commit: z.exactOptional(commitShape) })),
  objects: z.record(address, changeShape),
} satisfies Record<keyof CommitRecord, z.ZodType>);

const looseShape = z.object({
  record: z.exactOptional(z.int()),
  serial: z.exactOptional(serialShape),
});
