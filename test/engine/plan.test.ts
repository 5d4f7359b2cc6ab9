/** Every action and every reason a plan can give, as whole values. */
import { describe, expect, it } from "vitest";
import type { Action, Change, Observed, Reason, Rotation } from "../../src/core/engine/index.js";
import { plan } from "../../src/core/engine/index.js";
import { digestSpec, digestValue, kindNamed, type Spec } from "../../src/core/kinds/index.js";
import type { Entry, Intent } from "../../src/core/state/index.js";
import { declare, live, manifestOf, observationOf, stateOf } from "./building.js";

interface Given {
  readonly address: string;
  readonly id?: string;
  readonly spec: Spec;
  readonly seen: Observed;
  readonly entry?: Entry;
  readonly intent?: Partial<Intent>;
  readonly rotation?: Rotation;
  readonly accept?: boolean;
  readonly namesakes?: readonly string[];
}

/** The change planned for one declared object. */
function changeOf({ address, id, spec, seen, entry, intent, rotation, accept, namesakes }: Given): Change {
  const declaration = declare(address, spec, id);
  const state = stateOf(entry ? { [address]: entry } : {}, intent ? { [address]: intent } : {});
  const observation = observationOf(
    { [address]: seen },
    {
      ...(rotation ? { rotations: { [address]: rotation } } : {}),
      ...(namesakes ? { namesakes: { [String(spec.name)]: namesakes } } : {}),
    },
  );
  const options = { service: "https://a.example", acceptDuplicates: accept ? [address] : [] };
  const [change] = plan(manifestOf(declaration), state, observation, options).changes;
  if (!change) throw new Error("nothing was planned");
  return change;
}

const desk = { name: "Desk", prompt: "Be kind." };
const deskLive = live("context", "c1", { ...desk, opening_text: "", links: [] });
const seenLive = (spec: Partial<typeof desk> = {}, rest: object = {}): Observed => ({
  seen: "live",
  live: live("context", "c1", { ...desk, opening_text: "", links: [], ...spec }),
  settled: true,
  ...rest,
});
const digestOfLive = (spec: Partial<typeof desk> = {}) =>
  digestSpec(kindNamed("context") as never, { ...deskLive.spec, ...spec });
const context = {
  address: "context.desk",
  kind: "context",
  label: "Desk",
  fields: [],
  overwrites: false,
  notes: [],
};
const unavailable = { value: "unavailable", problem: { code: "unset", message: "KEY is not set." } } as const;
const secretSpec = { secret_name: "Key", secret_type: "LLMPROVIDER_API_KEY" };
const secret = {
  address: "secret.key",
  kind: "secret",
  label: "Key",
  fields: [],
  overwrites: false,
  notes: [],
};
const voice = {
  address: "voice.anna",
  kind: "voice",
  label: "Anna",
  fields: [],
  overwrites: false,
  notes: [],
};
const prompt = (before: string, after: string, cause: string) => ({
  field: "prompt",
  type: "prose",
  before,
  after,
  cause,
});
const allOfDesk = [
  { field: "name", type: "string", after: "Desk", cause: "configured" },
  { field: "prompt", type: "prose", after: "Be kind.", cause: "configured" },
];
const sealed = {
  ...{ field: "secret_value", type: "write-only", cause: "configured" },
  source: digestValue({ from: "env", name: "KEY" }),
};
const allOfSecret = [
  { field: "secret_name", type: "string", after: "Key", cause: "configured" },
  { field: "secret_type", type: "string", after: "LLMPROVIDER_API_KEY", cause: "configured" },
  sealed,
];
const ofDesk = { address: "context.desk", spec: desk };
const applied: Entry = { id: "c1", applied: desk, inSyncAt: "2026-01-01T00:00:00.000Z" };
const ofSecret = { address: "secret.key", spec: secretSpec, seen: { seen: "unobservable" } as const };
const stored: Entry = { id: "s1", applied: secretSpec, fingerprints: { secret_value: "f" } };
const candidate = { id: "c9", label: "Desk" };

const cases: readonly [sentence: string, given: Given, change: object][] = [
  [
    "keeps what the list shows unmoved",
    { ...ofDesk, entry: applied, seen: { seen: "unmoved" } },
    { ...context, action: "keep", reason: "unchanged", id: "c1" },
  ],
  [
    "keeps what is as declared, and notes since when",
    { ...ofDesk, entry: { id: "c1", applied: desk }, seen: seenLive() },
    { ...context, action: "keep", reason: "unchanged", id: "c1", entry: applied },
  ],
  [
    "keeps what was changed here and elsewhere to the same",
    { ...ofDesk, entry: { id: "c1", applied: { ...desk, prompt: "Old." } }, seen: seenLive() },
    { ...context, action: "keep", reason: "converged", id: "c1", entry: applied },
  ],
  [
    "updates what the files changed",
    {
      ...ofDesk,
      entry: { id: "c1", applied: { ...desk, prompt: "Old." } },
      seen: seenLive({ prompt: "Old." }),
    },
    {
      ...context,
      action: "update",
      reason: "configured",
      id: "c1",
      liveDigest: digestOfLive({ prompt: "Old." }),
      fields: [prompt("Old.", "Be kind.", "configured")],
      wanted: desk,
    },
  ],
  [
    "shows an edit made elsewhere as drift",
    { ...ofDesk, entry: applied, seen: seenLive({ prompt: "Edited." }) },
    {
      ...context,
      action: "update",
      reason: "drifted",
      overwrites: true,
      id: "c1",
      liveDigest: digestOfLive({ prompt: "Edited." }),
      fields: [prompt("Edited.", "Be kind.", "drifted")],
      wanted: desk,
    },
  ],
  [
    "shows edits on both sides as a conflict",
    {
      ...ofDesk,
      entry: { id: "c1", applied: { ...desk, prompt: "Old." } },
      seen: seenLive({ prompt: "Edited." }),
    },
    {
      ...context,
      action: "update",
      reason: "conflicting",
      overwrites: true,
      id: "c1",
      liveDigest: digestOfLive({ prompt: "Edited." }),
      fields: [prompt("Edited.", "Be kind.", "conflicting")],
      wanted: desk,
    },
  ],
  [
    "creates what is nowhere",
    { ...ofDesk, seen: { seen: "nothing" } },
    { ...context, action: "create", reason: "new", fields: allOfDesk, wanted: desk, known: [] },
  ],
  [
    "creates anew what was there and is gone, knowing who has its name",
    { ...ofDesk, entry: applied, seen: { seen: "absent" }, namesakes: ["c8", "c7"] },
    {
      ...context,
      action: "create",
      reason: "vanished",
      fields: allOfDesk,
      wanted: desk,
      known: ["c7", "c8"],
    },
  ],
  [
    "adopts what has the name",
    { ...ofDesk, seen: seenLive() },
    { ...context, action: "adopt", reason: "found", id: "c1", liveDigest: digestOfLive(), entry: applied },
  ],
  [
    "adopts what an unanswered create made",
    { ...ofDesk, intent: { sent: desk }, seen: seenLive({}, { recovered: true }) },
    {
      ...context,
      action: "adopt",
      reason: "recovered",
      id: "c1",
      liveDigest: digestOfLive(),
      entry: applied,
    },
  ],
  [
    "keeps what an unanswered update wrote",
    {
      ...ofDesk,
      entry: { id: "c1", applied: { ...desk, prompt: "Old." } },
      intent: { id: "c1", action: "update", sent: desk },
      seen: seenLive(),
    },
    { ...context, action: "keep", reason: "converged", id: "c1", entry: applied },
  ],
  [
    "asks which of several is meant",
    { ...ofDesk, seen: { seen: "several", candidates: [candidate] } },
    { ...context, action: "ambiguous", reason: "several-found", candidates: [candidate] },
  ],
  [
    "makes another beside several, if told to",
    { ...ofDesk, seen: { seen: "several", candidates: [candidate] }, accept: true, namesakes: ["c9"] },
    { ...context, action: "create", reason: "new", fields: allOfDesk, wanted: desk, known: ["c9"] },
  ],
  [
    "asks what became of a create",
    { ...ofDesk, intent: {}, seen: { seen: "unclear", candidates: [candidate] } },
    { ...context, action: "ambiguous", reason: "answer-lost", candidates: [candidate] },
  ],
  [
    "adopts a given object that cannot be read by writing it",
    { address: "voice.anna", id: "v1", spec: { name: "Anna" }, seen: { seen: "unobservable" } },
    {
      ...voice,
      action: "adopt",
      reason: "given",
      id: "v1",
      fields: [{ field: "name", type: "string", after: "Anna", cause: "configured" }],
      wanted: { name: "Anna" },
    },
  ],
  [
    "adopts another object where the files name another id",
    {
      address: "voice.anna",
      id: "v2",
      spec: { name: "Anna" },
      entry: { id: "v1", applied: { name: "Anna" } },
      seen: { seen: "unobservable" },
    },
    {
      ...voice,
      action: "adopt",
      reason: "reidentified",
      id: "v2",
      fields: [{ field: "name", type: "string", after: "Anna", cause: "configured" }],
      wanted: { name: "Anna" },
    },
  ],
  [
    "takes what cannot be read to be as last applied",
    {
      address: "voice.anna",
      id: "v1",
      spec: { name: "Anna" },
      entry: { id: "v1", applied: { name: "Anna" } },
      seen: { seen: "unobservable" },
    },
    { ...voice, action: "keep", reason: "unobservable", id: "v1" },
  ],
  [
    "writes again what cannot be read after an update without an answer",
    {
      address: "voice.anna",
      id: "v1",
      spec: { name: "Anna" },
      entry: { id: "v1", applied: { name: "Anna" } },
      intent: { id: "v1", action: "update", sent: { name: "Other" } },
      seen: { seen: "unobservable" },
    },
    {
      ...voice,
      action: "update",
      reason: "configured",
      id: "v1",
      fields: [{ field: "name", type: "string", after: "Anna", cause: "configured" }],
      wanted: { name: "Anna" },
    },
  ],
  [
    "says that a declared id is nobody's",
    { address: "avatar.host", id: "a1", spec: { name: "Host" }, seen: { seen: "absent" } },
    {
      address: "avatar.host",
      kind: "avatar",
      label: "Host",
      action: "missing",
      reason: "unknown-id",
      id: "a1",
      fields: [],
      overwrites: false,
      notes: ["The account has no avatar with the id a1, and the service cannot create one: correct the id."],
    },
  ],
  [
    "makes a secret, and says where its value cannot be had",
    { ...ofSecret, seen: { seen: "nothing" }, rotation: unavailable },
    {
      ...secret,
      action: "create",
      reason: "new",
      fields: allOfSecret,
      wanted: secretSpec,
      known: [],
      unread: "unknown",
      notes: ["KEY is not set."],
    },
  ],
  [
    "supersedes a secret whose value changed",
    { ...ofSecret, entry: stored, rotation: { value: "changed" } },
    { ...secret, action: "supersede", reason: "rotated", id: "s1", fields: [sealed], wanted: secretSpec },
  ],
  [
    "supersedes a secret whose name changed, sending its value, too",
    {
      ...ofSecret,
      entry: { ...stored, applied: { ...secretSpec, secret_name: "Old" } },
      rotation: { value: "same" },
    },
    {
      ...secret,
      action: "supersede",
      reason: "configured",
      id: "s1",
      fields: [
        { field: "secret_name", type: "string", before: "Old", after: "Key", cause: "configured" },
        sealed,
      ],
      wanted: secretSpec,
    },
  ],
  [
    "keeps a secret whose value cannot be had",
    { ...ofSecret, entry: stored, rotation: unavailable },
    {
      ...secret,
      action: "keep",
      reason: "unverified",
      unread: "unknown",
      id: "s1",
      notes: ["It is unknown whether the value changed. KEY is not set."],
    },
  ],
];

describe("a plan", () => {
  it.each(cases)("%s", (_sentence, given, change) => {
    expect(changeOf(given)).toEqual(change);
  });

  it("forgets what left the files", () => {
    const state = stateOf({ "context.desk": applied });
    const { changes } = plan(manifestOf(), state, observationOf({}), { service: "https://a.example" });
    expect(changes).toEqual([
      {
        ...context,
        action: "forget",
        reason: "removed",
        id: "c1",
        notes: ["The context stays in the account: the service cannot delete contexts."],
      },
    ]);
  });

  it("comes to every action and every reason in these cases", () => {
    const changes = cases.map(([, , change]) => change as Change);
    const actions: Record<Action, boolean> = {
      ...{ keep: true, adopt: true, create: true, update: true, supersede: true },
      ...{ forget: false, missing: true, unreadable: false, ambiguous: true },
      ...{ delete: false, protected: false },
    };
    const reasons: Record<Reason, boolean> = {
      ...{ unchanged: true, unobservable: true, unverified: true, configured: true, drifted: true },
      ...{ conflicting: true, converged: true, new: true, found: true, given: true, recovered: true },
      ...{ vanished: true, removed: false, superseded: false, undeclared: false, rotated: true },
      reidentified: true,
      ...{ unreadable: false, "unknown-id": true, "several-found": true, "answer-lost": true },
    };
    const inTable = (record: Record<string, boolean>) =>
      Object.keys(record)
        .filter((key) => record[key])
        .sort();
    expect([...new Set(changes.map(({ action }) => action))].sort()).toEqual(inTable(actions));
    expect([...new Set(changes.map(({ reason }) => reason))].sort()).toEqual(inTable(reasons));
  });

  it("keeps to the id as declared, however the service spells it", () => {
    const seen: Observed = { seen: "live", live: live("avatar", "abc", { name: "Host" }), settled: true };
    const given = { address: "avatar.host", id: "ABC", spec: { name: "Host" }, seen };
    const adopted = changeOf(given);
    expect(adopted).toMatchObject({ action: "adopt", id: "ABC", entry: { id: "ABC" } });
    const { entry } = adopted;
    expect(changeOf({ ...given, ...(entry ? { entry } : {}) })).toMatchObject({ action: "keep" });
  });
});
