/** Checks properties that must hold for all plans. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UsageError } from "../../src/base/diagnostics/index.js";
import { ServiceError } from "../../src/core/api/index.js";
import { type Change, type Observed, type Plan, plan, type Rotation } from "../../src/core/engine/index.js";
import type { RemoteObject, Spec } from "../../src/core/kinds/index.js";
import type { Intent, StateEntry } from "../../src/core/state/index.js";
import { createLiveObject, createManifest, createObservation, createState, declare } from "./building.js";

const options = { service: "https://a.example" };
const addresses = ["avatar.host", "voice.anna", "context.desk", "context.shop", "secret.key"] as const;
type Address = (typeof addresses)[number];

const text = fc.constantFrom("", "Desk", "Shop", "a".repeat(300));
const name = fc.constantFrom("Desk", "Shop");
const links = fc.array(fc.record({ url: fc.constant("https://a.example/"), faq: text }), { maxLength: 2 });
const id: fc.Arbitrary<string> = fc.constantFrom("1", "2", "3");

/** Arbitrary declared fields by kind. */
const specs: Record<string, fc.Arbitrary<Spec>> = {
  avatar: fc.record({ name }, { requiredKeys: [] }),
  voice: fc.record({ name }),
  context: fc.record({ name, prompt: text, opening_text: text, links }, { requiredKeys: ["name", "prompt"] }),
  secret: fc.record({ secret_name: name, secret_type: text }),
};
/** Arbitrary live values of all fields by kind. */
const lives: Record<string, fc.Arbitrary<Spec>> = {
  ...specs,
  avatar: fc.record({ name }),
  context: fc.record({ name, prompt: text, opening_text: text, links }),
};

const readKind = (address: string) => address.slice(0, address.indexOf("."));
const findArbitrary = <Of>(of: Record<string, fc.Arbitrary<Of>>, address: string) => {
  const found = of[readKind(address)];
  if (!found) throw new Error(`no values for ${address}`);
  return found;
};

type Seen = Observed["seen"];
const everything: readonly Seen[] = [
  "live",
  "unmoved",
  "absent",
  "unobservable",
  "nothing",
  "unconfirmed",
  "several",
  "unclear",
];
const unread = new ServiceError("GET /v1/contexts/1: the service failed.", {
  ...{ code: "unavailable", method: "GET", path: "/v1/contexts/1", outcome: "unknown" },
});

/** Possible observations by kind. */
const possible: Record<string, readonly Seen[]> = {
  avatar: ["live", "unmoved", "absent", "unreadable"],
  voice: ["live", "unobservable"],
  context: [
    "live",
    "unmoved",
    "absent",
    "nothing",
    "under-way",
    "unconfirmed",
    "several",
    "unclear",
    "unreadable",
  ],
  secret: ["unobservable", "nothing", "unclear"],
};

function generateObserved(address: Address, among: readonly Seen[]): fc.Arbitrary<Observed> {
  const candidates = fc.array(fc.record({ id, label: name }), { maxLength: 2 });
  const isFound = fc.tuple(id, findArbitrary(lives, address), fc.boolean(), fc.boolean());
  return fc.constantFrom(...among).chain((seen): fc.Arbitrary<Observed> => {
    if (seen === "several" || seen === "unclear")
      return candidates.map((some) => ({ seen, candidates: some }));
    if (seen === "unconfirmed") return fc.constant({ seen, doubt: { reason: "changing" } });
    if (seen === "unreadable") return fc.constant({ seen, error: unread });
    if (seen === "under-way") return fc.constant({ seen, since: "2026-01-01T00:00:00.000Z" });
    if (seen !== "live") return fc.constant({ seen });
    return isFound.map(([liveId, spec, hasReliableTimestamp, recovered]) => ({
      ...{ seen, live: createLiveObject(readKind(address), liveId, spec), hasReliableTimestamp },
      // Only contexts can be found after a create without a response.
      ...(recovered && address.startsWith("context") ? { recovered } : {}),
    }));
  });
}

const rotation = fc.oneof(
  fc.constantFrom("same", "changed", "unrecorded", "other-key").map((value): Rotation => ({ value })),
  fc.constant<Rotation>({ value: "unavailable", problem: { code: "not-set", message: "KEY is not set." } }),
);

/** Any combination of facts about one address, including impossible ones. */
function generateCase(address: Address, among: readonly Seen[]) {
  const isGiven = address.startsWith("avatar") || address.startsWith("voice");
  return fc.record({
    address: fc.constant(address),
    spec: fc.option(findArbitrary(specs, address), { nil: undefined }),
    id: isGiven ? id : fc.constant(undefined),
    seen: generateObserved(address, among),
    entry: fc.option(
      fc.record({ id, applied: findArbitrary(lives, address) }).map((entry): StateEntry => entry),
      { nil: undefined },
    ),
    intent: fc.option(
      fc
        .record(
          { id, sent: findArbitrary(lives, address), label: name, known: fc.array(id, { maxLength: 1 }) },
          { requiredKeys: ["sent", "label", "known"] },
        )
        .map((intent): Partial<Intent> => intent),
      { nil: undefined },
    ),
    rotation: fc.option(rotation, { nil: undefined }),
    accept: fc.boolean(),
  });
}
type Case = ReturnType<typeof generateCase> extends fc.Arbitrary<infer Of> ? Of : never;
const anyWorld = fc.tuple(...addresses.map((address) => generateCase(address, everything)));
const world = fc.tuple(
  ...addresses.map((address) => generateCase(address, possible[readKind(address)] ?? [])),
);

const omitUndefined = <Of>(entries: readonly (readonly [string, Of | undefined])[]): Record<string, Of> =>
  Object.fromEntries(entries.filter((entry): entry is [string, Of] => entry[1] !== undefined));

/** Builds the inputs of a plan. */
function createPlanInput(cases: readonly Case[]) {
  const declared = cases.flatMap(({ address, spec, id: own }) => (spec ? [declare(address, spec, own)] : []));
  const at = <Of>(pick: (one: Case) => Of | undefined) =>
    omitUndefined(cases.map((one) => [one.address, pick(one)] as const));
  return {
    manifest: createManifest(...declared),
    state: createState(
      at(({ entry }) => entry),
      at(({ intent }) => intent),
    ),
    observation: createObservation(
      at(({ seen }) => seen),
      { rotations: at((one) => one.rotation) },
    ),
    acceptDuplicates: cases.filter(({ accept }) => accept).map(({ address }) => address),
  };
}

/** Builds a plan, and discards cases that swap names. */
function runPlan(...args: Parameters<typeof plan>): Plan {
  try {
    return plan(...args);
  } catch (error) {
    if ((error as UsageError).code !== "names-exchanged") throw error;
    fc.pre(false);
    throw error;
  }
}

function planCases(cases: readonly Case[]): Plan {
  const { manifest, state, observation, acceptDuplicates } = createPlanInput(cases);
  return runPlan(manifest, state, observation, { ...options, acceptDuplicates });
}

describe("plan for random declarations, state and live objects", () => {
  it("contains one change for each address, and is the same if computed again", () => {
    fc.assert(
      fc.property(anyWorld, (cases) => {
        const made = planCases(cases);
        const known = cases.filter(({ spec, entry, intent }) => spec ?? entry ?? intent);
        expect(made.changes.map(({ address }) => address).sort()).toEqual(
          known.map(({ address }) => address).sort(),
        );
        expect(planCases(cases)).toEqual(made);
        expect(JSON.parse(JSON.stringify(made))).toEqual(made);
      }),
    );
  });

  it("lists changed fields and new values only for changes that send a write", () => {
    fc.assert(
      fc.property(world, (cases) => {
        const { changes } = planCases(cases);
        for (const { action, id: own, fields, wanted, overwrites } of changes) {
          const writes =
            ["create", "update", "supersede"].includes(action) || (action === "adopt" && fields.length > 0);
          expect({ action, wanted: wanted !== undefined, fields: fields.length > 0 }).toEqual({
            action,
            wanted: writes,
            fields: writes,
          });
          if (action === "update") expect(own).toBeDefined();
          expect(overwrites).toBe(fields.some(({ cause }) => cause !== "configured"));
        }
      }),
    );
  });

  it("has no circular dependencies between changes", () => {
    fc.assert(
      fc.property(world, (cases) => {
        const { changes } = planCases(cases);
        const after = new Map(changes.map((one) => [one.address, one.after?.[0]]));
        for (const { address } of changes) {
          const way = new Set<string>();
          for (let at = after.get(address); at !== undefined; at = after.get(at)) {
            expect(way).not.toContain(at);
            way.add(at);
          }
          expect(way).not.toContain(address);
        }
      }),
    );
  });
});

/** Returns state and observation after a change was applied as planned. */
function applyChange(change: Change, one: Case): Case {
  const { entry: before, seen, spec = {} } = one;
  const { id: own = `new-${one.address}`, wanted, action } = change;
  const madeNew = action === "create" || action === "supersede";
  const objectId = madeNew ? `new-${one.address}` : own;
  const old: Spec = seen.seen === "live" && !madeNew ? seen.live.spec : {};
  const cleared: Spec = one.address.startsWith("context") ? { opening_text: "", links: [] } : {};
  const now: RemoteObject = createLiveObject(readKind(one.address), objectId, {
    ...cleared,
    ...old,
    ...wanted,
  });
  const written = wanted && { id: objectId, applied: wanted as StateEntry["applied"] };
  const entry = written ?? change.entry ?? (action === "keep" ? before : undefined);
  const isSeen = seen.seen === "unobservable" || one.address.startsWith("secret");
  return {
    ...one,
    spec,
    seen: isSeen ? { seen: "unobservable" } : { seen: "live", live: now, hasReliableTimestamp: true },
    entry,
    intent: undefined,
    rotation: undefined,
  };
}

describe("plan after an apply", () => {
  it("is empty", () => {
    fc.assert(
      fc.property(world, (cases) => {
        const { changes } = planCases(cases);
        const after = cases.flatMap((one) => {
          const change = changes.find(({ address }) => address === one.address);
          // Changes that need a decision are not applied. Forgotten objects leave the state.
          const isApplied =
            change && !["missing", "unreadable", "ambiguous", "forget"].includes(change.action);
          // An `unmoved` object was not read, so its live content is unknown.
          return isApplied && one.seen.seen !== "unmoved" ? [applyChange(change, one)] : [];
        });
        expect(planCases(after).changes.filter(({ action }) => action !== "keep")).toEqual([]);
      }),
    );
  });
});

describe("plan digest", () => {
  const cases = (
    spec: Spec,
    more: { id?: string; seen?: Observed; entry?: StateEntry; rotation?: Rotation } = {},
  ): Case => ({
    address: "context.desk",
    spec,
    id: undefined,
    seen: { seen: "nothing" },
    entry: undefined,
    intent: undefined,
    rotation: undefined,
    accept: false,
    ...more,
  });
  const digestOf = (one: Case, overrides: object = {}, from = options) => {
    const { manifest, state, observation } = createPlanInput([one]);
    return runPlan(manifest, state, { ...observation, ...overrides }, from).digest;
  };
  const spec = {
    name: "Desk",
    prompt: "Be kind.",
    opening_text: "Hi.",
    links: [{ url: "https://a.example/", faq: "A" }],
  };
  const whole = createLiveObject("context", "1", spec);
  const seen = (more: Spec, liveId = "1"): Observed => ({
    seen: "live",
    live: { ...whole, id: liveId, spec: { ...whole.spec, ...more } },
    hasReliableTimestamp: true,
  });

  it("does not depend on the number of requests or the state's serial", () => {
    const digest = digestOf(cases(spec));
    expect(digestOf(cases(spec), { requests: 99 })).toBe(digest);
    const { manifest, state, observation } = createPlanInput([cases(spec)]);
    expect(runPlan(manifest, { ...state, serial: 9 }, observation, options).digest).toBe(digest);
  });

  it("does not depend on the list order of objects with the same name", () => {
    const { manifest, state } = createPlanInput([cases(spec, { entry: { id: "1", applied: spec } })]);
    const digestOfList = (ids: readonly string[]) => {
      const observation = createObservation(
        { "context.desk": { seen: "absent" } },
        { namesakes: { Desk: ids } },
      );
      return runPlan(manifest, state, observation, options).digest;
    };
    expect(digestOfList(["a", "b"])).toBe(digestOfList(["b", "a"]));
  });

  it("does not depend on link ids", () => {
    const linked = (linkId: string) => seen({ links: [{ url: "https://a.example/", faq: "B", id: linkId }] });
    const entry = { id: "1", applied: spec };
    expect(digestOf(cases(spec, { entry, seen: linked("x") }))).toBe(
      digestOf(cases(spec, { entry, seen: linked("y") })),
    );
  });

  it.each(["name", "prompt", "opening_text", "links"] as const)(
    "depends on the declared and the live value of %s",
    (field) => {
      const other = field === "links" ? [] : "Other";
      expect(digestOf(cases({ ...spec, [field]: other }))).not.toBe(digestOf(cases(spec)));
      const desired = { ...spec, prompt: "New." };
      const entry = { id: "1", applied: spec };
      expect(digestOf(cases(desired, { entry, seen: seen({ [field]: other }) }))).not.toBe(
        digestOf(cases(desired, { entry, seen: seen({}) })),
      );
    },
  );

  it("depends on the object id and the service URL, but not on the state's lineage", () => {
    const desired = { ...spec, prompt: "New." };
    const one = cases(desired, { entry: { id: "1", applied: spec }, seen: seen({}) });
    const other = cases(desired, { entry: { id: "2", applied: spec }, seen: seen({}, "2") });
    expect(digestOf(other)).not.toBe(digestOf(one));
    expect(digestOf(one, {}, { service: "https://b.example" })).not.toBe(digestOf(one));
    const { manifest, state, observation } = createPlanInput([one]);
    expect(runPlan(manifest, { ...state, lineage: "other" }, observation, options).digest).toBe(
      digestOf(one),
    );
  });
});
