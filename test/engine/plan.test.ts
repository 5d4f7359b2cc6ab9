/** Compares plans with `plans.txt`, for each kind in all circumstances, with and without the profile. */
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ServiceError } from "../../src/core/api/index.js";
import {
  type Action,
  type Change,
  type ChangeReason,
  type Observed,
  plan,
  type Rotation,
} from "../../src/core/engine/index.js";
import {
  digestSpec,
  type Kind,
  listKinds,
  listWriteOnlyFields,
  type ProfileName,
  profileNames,
  type Spec,
} from "../../src/core/kinds/index.js";
import type { Intent, StateEntry } from "../../src/core/state/index.js";
import { createLiveObject, createManifest, createObservation, createState, declare } from "./building.js";

const [text, old, theirs] = ["New.", "Old.", "Theirs."];

/** Returns declared fields by kind. One field contains the given string. */
const specs: Readonly<Record<string, (text: string) => Spec>> = {
  avatar: (name) => ({ name }),
  voice: (name) => ({ name }),
  context: (prompt) => ({ name: "One", prompt }),
  secret: (secret_type) => ({ secret_name: "One", secret_type }),
  llm_configuration: (model_name) => ({ display_name: "One", model_name }),
};

interface Given {
  /** A string stands for a live object with this value, if the kind can be observed. */
  readonly seen: string | Observed;
  readonly recovered?: true;
  /** Declared text, or null if removed from the files. Default: `text`. */
  readonly declared?: string | null;
  readonly id?: string;
  readonly protect?: true;
  /** Last applied text. */
  readonly applied?: string;
  readonly entry?: Partial<StateEntry>;
  /** Intent for a write of `text` that got no response. */
  readonly intent?: Partial<Intent>;
  readonly rotation?: Rotation["value"];
  readonly accept?: true;
  readonly namesakes?: readonly string[];
}

const isCreated = ({ identity }: Kind) => identity === "created";
const isGiven = ({ identity }: Kind) => identity === "adopted";
const isFound = (kind: Kind) => isCreated(kind) && kind.list !== undefined;
const isVisible = ({ read, list }: Kind) => read !== undefined || list?.whole === true;
/** Whether a read or list can show that an object is gone. */
const isMissed = ({ read, list }: Kind) => read !== undefined || list?.exhaustive === true;
const isSometimesSeen = (kind: Kind) => isVisible(kind) && !isMissed(kind);
const isRemovable = ({ remove }: Kind) => remove !== undefined;
const isSuperseded = (kind: Kind) => isVisible(kind) && !kind.update;
const hasValue = (kind: Kind) => listWriteOnlyFields(kind).length > 0;

const nothing: Observed = { seen: "nothing" };
const gone: Observed = { seen: "absent" };
const unseen: Observed = { seen: "unobservable" };
const candidates = [{ id: "9", label: "One" }];
const several: Observed = { seen: "several", candidates };
const unclear: Observed = { seen: "unclear", candidates };
const error = new ServiceError("The service failed.", {
  ...{ code: "unavailable", method: "GET", path: "/v1/contexts/1", outcome: "unknown" },
});
const updated = { id: "1", action: "update" } as const;
const superseded = { seen: text, recovered: true, applied: old, intent: { action: "supersede" } } as const;
const removed = { declared: null, applied: text } as const;
const deleted = { ...removed, entry: { onRemoval: "delete" } } as const;

/** Circumstances of an object and the kinds they apply to. */
const circumstances: readonly (readonly [string, (kind: Kind) => boolean, Given])[] = [
  ["new, not found in the account", isCreated, { seen: nothing, rotation: "unrecorded" }],
  ["new, with an unavailable value", hasValue, { seen: nothing, rotation: "unavailable" }],
  ["new, with an id", isGiven, { seen: old }],
  ["new, with an id, not visible", isSometimesSeen, { seen: unseen }],
  ["new, with an unknown id", (kind) => isGiven(kind) && isMissed(kind), { seen: gone }],
  ["found by name, as declared", isFound, { seen: text, rotation: "unrecorded" }],
  ["found by name, different", isFound, { seen: old, rotation: "unrecorded" }],
  ["one of several objects with the same name", isFound, { seen: several }],
  ["an accepted duplicate name", isFound, { seen: several, accept: true, namesakes: ["9"] }],
  ["possibly created by a create without a response", isCreated, { seen: unclear, intent: {} }],
  [
    "created by a create without a response",
    (kind) => isCreated(kind) && isVisible(kind),
    { seen: text, recovered: true, intent: {}, rotation: "unrecorded" },
  ],
  ["unchanged", () => true, { seen: text, applied: text, rotation: "same" }],
  ["unchanged according to the list", isMissed, { seen: { seen: "unmoved" }, applied: text }],
  ["applied, not visible", isSometimesSeen, { seen: unseen, applied: text }],
  ["with an unavailable value", hasValue, { seen: text, applied: text, rotation: "unavailable" }],
  ["with a fingerprint from another key", hasValue, { seen: text, applied: text, rotation: "other-key" }],
  ["with a new value", hasValue, { seen: text, applied: text, rotation: "changed" }],
  ["changed in the files", () => true, { seen: old, applied: old, rotation: "same" }],
  ["changed in the files, with a new value", hasValue, { seen: old, applied: old, rotation: "changed" }],
  ["changed in the account", isVisible, { seen: theirs, applied: text, rotation: "same" }],
  ["changed in the files and in the account", isVisible, { seen: theirs, applied: old, rotation: "same" }],
  ["changed to the same value in both", isVisible, { seen: text, applied: old, rotation: "same" }],
  ["updated without a response", ({ update }) => !!update, { seen: text, applied: old, intent: updated }],
  ["possibly updated, not visible", isSometimesSeen, { seen: unseen, applied: text, intent: updated }],
  ["superseded without a response", isSuperseded, { ...superseded, rotation: "same" }],
  ["superseded without a response, changed since", isSuperseded, { ...superseded, declared: "Newer." }],
  ["gone", isMissed, { seen: gone, applied: text, rotation: "same", namesakes: ["8", "7"] }],
  ["unreadable", isVisible, { seen: { seen: "unreadable", error }, applied: text }],
  ["declared with another id", isGiven, { id: "2", seen: text, applied: text }],
  ["declared with another id, not visible", isSometimesSeen, { id: "2", seen: unseen, applied: text }],
  ["newly protected", () => true, { seen: text, applied: text, protect: true }],
  ["removed", () => true, { ...removed, seen: text }],
  ["removed with deletion enabled", () => true, { ...deleted, seen: text }],
  ["removed with deletion enabled, changed in the account", isRemovable, { ...deleted, seen: theirs }],
  ["removed with deletion enabled, gone", isRemovable, { ...deleted, seen: gone }],
  ["removed, protected", () => true, { ...removed, seen: text, entry: { protected: true } }],
];

function createObserved(kind: Kind, { seen, recovered }: Given): Observed {
  if (typeof seen !== "string") return seen;
  if (!isVisible(kind)) return unseen;
  const cleared: Spec = kind.name === "context" ? { opening_text: "", links: [] } : {};
  const shown = createLiveObject(kind.name, "1", { ...cleared, ...specs[kind.name]?.(seen) });
  return { seen: "live", live: shown, hasReliableTimestamp: true, ...(recovered && { recovered }) };
}

/** Returns the only planned change. */
function decideChange(kind: Kind, profile: ProfileName | undefined, given: Given): Change {
  const { declared = text, id = isCreated(kind) ? undefined : "1", protect, applied, intent } = given;
  const address = `${kind.name}.one`;
  const spec = (of: string) => specs[kind.name]?.(of) ?? {};
  const fingerprints = (value: string) => (hasValue(kind) ? { fingerprints: { secret_value: value } } : {});
  const problem = { code: "unset", message: "KEY is not set." } as const;
  const rotation = given.rotation === "unavailable" ? { problem } : {};
  const manifest = createManifest(
    ...(declared === null
      ? []
      : [{ ...declare(address, spec(declared), id), kind, ...(protect && { protect }) }]),
  );
  const entry =
    applied === undefined
      ? {}
      : {
          [address]: {
            id: "1",
            applied: spec(applied),
            ...fingerprints("old"),
            ...given.entry,
          } as StateEntry,
        };
  const pending = { sent: spec(text) as Intent["sent"], ...fingerprints("new"), ...intent };
  const [change] = plan(
    { ...manifest, service: { ...manifest.service, ...(profile && { profile }) } },
    createState(entry, intent ? { [address]: pending } : {}),
    createObservation(
      { [address]: createObserved(kind, given) },
      {
        ...(given.rotation &&
          hasValue(kind) && { rotations: { [address]: { value: given.rotation, ...rotation } as Rotation } }),
        ...(given.namesakes && { namesakes: { One: given.namesakes } }),
      },
    ),
    { service: "https://a.example", acceptDuplicates: given.accept ? [address] : [] },
  ).changes;
  if (!change) throw new Error("nothing was planned");
  return change;
}

const all = [undefined, ...profileNames].flatMap((profile) =>
  listKinds(profile).map((kind) => ({ kind, profile })),
);
const planned = circumstances.map(([what, isOf, given]) => {
  const of = all.filter(({ kind }) => isOf(kind));
  return {
    what,
    of: of.map((one) => ({ ...one, given, change: decideChange(one.kind, one.profile, given) })),
  };
});
const changes = planned.flatMap(({ of }) => of);

/** Prints a change without empty values and without the facts in its heading. */
function formatChange({ kind, given, change }: (typeof changes)[number]): string {
  const { address: _, kind: __, label: ___, action, reason, liveDigest, ...rest } = change;
  const seen = createObserved(kind, given);
  const isOfSeen = seen.seen === "live" && liveDigest === digestSpec(kind, seen.live.spec);
  const facts = Object.entries({ ...rest, liveDigest: isOfSeen ? "as seen" : liveDigest })
    .filter(([, value]) => value !== undefined && value !== false && `${value}` !== "")
    .map(([name, value]) => {
      const shown = inspect(value, { depth: null, breakLength: Number.POSITIVE_INFINITY, compact: 9 });
      return `\n    ${name}: ${shown}`;
    });
  return `${action}, ${reason}${facts.join("")}\n`;
}

/** Groups kinds with the same plan under one heading. */
function formatSection({ what, of }: (typeof planned)[number]): string {
  const groups = new Map<string, string[]>();
  for (const one of of) {
    const name = one.profile ? `${one.kind.name} with ${one.profile}` : one.kind.name;
    groups.set(formatChange(one), [...(groups.get(formatChange(one)) ?? []), name]);
  }
  return `${what}\n${Array.from(groups, ([change, names]) => `  ${names.join(", ")}: ${change}`).join("")}`;
}

describe("plan", () => {
  it("matches plans.txt for each kind in each situation", async () => {
    await expect(planned.map(formatSection).join("\n")).toMatchFileSnapshot("plans.txt");
  });

  it("uses only a kind's supported operations and sends all fields of new objects", () => {
    for (const { kind, profile, change } of changes) {
      const { action, fields, id } = change;
      const isUpdate = action === "update" && fields.some(({ field }) => field !== "protect");
      const isCreate = action === "create" || action === "supersede";
      const cannot =
        ((isUpdate || (action === "adopt" && fields.length > 0)) && (!kind.update || !id)) ||
        (isCreate && !kind.create) ||
        (action === "delete" && (!kind.remove || !id));
      expect({ kind: kind.name, profile, action, cannot }).toMatchObject({ cannot: false });
      if (isCreate) expect(fields.some(({ type }) => type === "write-only")).toBe(hasValue(kind));
    }
  });

  it("has test cases for every action and reason", () => {
    const actions: Record<Action, true> = {
      ...{ keep: true, adopt: true, create: true, update: true, supersede: true, forget: true },
      ...{ missing: true, unreadable: true, ambiguous: true, delete: true, protected: true },
    };
    // A rotation, `prune` and two addresses with the same id cause the other three reasons.
    const reasons: Record<Exclude<ChangeReason, "superseded" | "undeclared" | "shared-id">, true> = {
      ...{ unchanged: true, unobservable: true, unverified: true, configured: true, drifted: true },
      ...{ conflicting: true, converged: true, new: true, found: true, given: true, recovered: true },
      ...{ vanished: true, removed: true, rotated: true, reidentified: true, unreadable: true },
      ...{ "unknown-id": true, "several-found": true, "answer-lost": true },
    };
    expect(new Set(changes.map(({ change }) => change.action))).toEqual(new Set(Object.keys(actions)));
    expect(new Set(changes.map(({ change }) => change.reason))).toEqual(new Set(Object.keys(reasons)));
  });

  it("keeps an id's declared spelling", () => {
    const [host] = all.filter(({ kind }) => kind.name === "avatar");
    const kind = host?.kind as Kind;
    const seen: Observed = {
      seen: "live",
      live: createLiveObject("avatar", "abc", { name: text }),
      hasReliableTimestamp: true,
    };
    const adopted = decideChange(kind, undefined, { id: "ABC", seen });
    expect(adopted).toMatchObject({ action: "adopt", id: "ABC", entry: { id: "ABC" } });
    const again = decideChange(kind, undefined, { id: "ABC", seen, applied: text, entry: { id: "ABC" } });
    expect(again).toMatchObject({ action: "keep" });
  });

  it("warns that the API key may belong to another account if all observable objects are gone", () => {
    const spec = { name: "Desk", prompt: text };
    const entries = { "context.a": { id: "1", applied: spec }, "context.b": { id: "2", applied: spec } };
    const unseen = { "voice.anna": { id: "v", applied: { name: "Anna" } } };
    const { notices } = plan(
      createManifest(
        declare("context.a", spec),
        declare("context.b", spec),
        declare("avatar.host", { name: "Host" }, "h"),
        declare("voice.anna", { name: "Berta" }, "v"),
      ),
      createState({ ...entries, ...unseen }),
      createObservation({
        "context.a": { seen: "absent" },
        "context.b": { seen: "absent" },
        "avatar.host": { seen: "absent" },
        "voice.anna": { seen: "unobservable" },
      }),
      { service: "https://a.example" },
    );
    expect(notices.map(({ code }) => code)).toEqual(["all-vanished"]);
  });
});
