import * as z from "zod";
import { complaintOf, idForm, isId } from "../text/index.js";
import type { Entry, Intent, State, StoredValue } from "./state.js";

/**
 * The schemas of our files, checked on every read: people merge these files and edit them by hand. zod costs
 * no start-up time here, since every command loads it for the kinds anyway, and checks 10,000 objects in
 * about 20 ms. Strict: an unknown field would be lost with the next write. Thanks to `satisfies`, forgetting
 * a new field of the state here is a compile error. The order of the fields below is their order in the file.
 */
export const fields = z.record(
  z.string(),
  z.union([
    z.string(),
    z.array(z.record(z.string(), z.string())),
    z.strictObject({ digest: z.string(), length: z.number() }),
  ]) satisfies z.ZodType<StoredValue>,
);
/** Ids become parts of request paths; people edit and merge the state. */
const id = z.string().refine(isId, { error: `is not an id: ids are ${idForm}` });

/** Addresses become words of the commands that messages recommend. */
export const address = z
  .string()
  .refine((text) => /^[a-z_]+\.[\p{L}\p{M}\p{N}_-]+$/u.test(text), { error: "is not an address" });

const fingerprints = z.exactOptional(z.record(z.string(), z.string()));

const versions = z.exactOptional(
  z.record(
    z.string(),
    z.strictObject({
      source: z.exactOptional(z.string()),
      written: z.exactOptional(z.string()),
      version: z.exactOptional(z.string()),
    }),
  ),
);

export const entryShape: z.ZodType<Entry> = z.strictObject({
  id,
  applied: fields,
  inSyncAt: z.exactOptional(z.string()),
  copyBefore: z.exactOptional(z.string()),
  fingerprints,
  versions,
  writtenAt: z.exactOptional(z.string()),
  stale: z.exactOptional(z.array(z.strictObject({ id, label: z.string(), since: z.string() }))),
  protected: z.exactOptional(z.literal(true)),
} satisfies Record<keyof Entry, z.ZodType>);

export const intentShape: z.ZodType<Intent> = z.strictObject({
  address,
  action: z.enum(["create", "update", "supersede", "adopt", "delete"]),
  label: z.string(),
  id: z.exactOptional(id),
  sent: fields,
  fingerprints,
  versions,
  known: z.array(id),
  at: z.string(),
} satisfies Record<keyof Intent, z.ZodType>);

const state = {
  version: z.literal(1),
  lineage: z.string().min(1),
  serial: z.int().nonnegative(),
  service: z.string(),
  fingerprintKey: z.exactOptional(z.string().min(1)),
  objects: z.record(address, entryShape),
  pending: z.record(address, intentShape),
} satisfies Record<keyof State, z.ZodType>;

/** The state as in its file: with the id of the journal last applied; see journal.ts. */
export interface StateFile extends State {
  readonly journal?: string;
}

export const stateFileShape: z.ZodType<StateFile> = z.strictObject({
  ...state,
  journal: z.exactOptional(z.string()),
});

/** The first issue of a value (checked with `reportInput`), with its path in code syntax. */
export function firstWrong(error: z.ZodError): { at: string; what: string } {
  const issue = deepest(error.issues[0]);
  if (issue.code === "invalid_key") {
    return { at: pathText(issue.path), what: issue.issues[0]?.message ?? "" };
  }
  if (issue.code === "unrecognized_keys") {
    return { at: pathText([...issue.path, issue.keys[0] ?? ""]), what: "is not a field of the state" };
  }
  return { at: pathText(issue.path), what: complaintOf(issue) };
}

type Issue = z.core.$ZodIssue;

/** For a value that matches none of several schemas, the issue of the closest one. */
function deepest(issue: Issue | undefined): Issue {
  if (!issue) throw new Error("Bug: a failed check has no issue");
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const firsts = issue.errors.flatMap(([first]) => (first ? [first] : []));
  // If a schema's first field is missing altogether, that schema was not meant.
  const meant = firsts.filter(({ input }) => input !== undefined);
  const nearest = meant.find(({ path }) => path.length > 0) ?? meant[0] ?? firsts[0];
  return nearest ? deepest({ ...nearest, path: [...issue.path, ...nearest.path] }) : issue;
}

function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((part) =>
    /^\w+$/.test(String(part)) && typeof part !== "number" ? `.${String(part)}` : `[${JSON.stringify(part)}]`,
  );
  return parts.join("").replace(/^\./, "") || "the whole file";
}
