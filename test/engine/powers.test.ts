/** What is planned follows from what a kind can do, whichever kind it is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Change, type Observed, plan, type Rotation } from "../../src/core/engine/index.js";
import type { Spec } from "../../src/core/kinds/index.js";
import type { Entry, Intent } from "../../src/core/state/index.js";
import { combinations, inWords, kindWith, type Powers, register } from "../synthetic/kinds.js";
import { declare, live, manifestOf, observationOf, stateOf } from "./building.js";

const kinds = combinations.map((powers, at) => ({ powers, kind: kindWith(powers, `kind_${at}`) }));
register(...kinds.map(({ kind }) => kind));

interface Circumstances {
  readonly spec?: Spec;
  readonly seen: Observed;
  readonly entry?: Entry;
  readonly intent?: Partial<Intent>;
  readonly rotation?: Rotation;
  readonly accept?: boolean;
}

function changeOf({ powers, kind }: (typeof kinds)[number], given: Circumstances): Change | undefined {
  const address = `${kind.name}.one`;
  const { spec, entry, intent, rotation, seen } = given;
  const declared = spec ? [declare(address, spec, powers.identity === "adopted" ? "1" : undefined)] : [];
  const observation = observationOf(
    { [address]: seen },
    rotation && powers.writeOnly ? { rotations: { [address]: rotation } } : {},
  );
  const state = stateOf(entry ? { [address]: entry } : {}, intent ? { [address]: intent } : {});
  const options = { service: "https://a.example", acceptDuplicates: given.accept ? [address] : [] };
  return plan(manifestOf(...declared), state, observation, options).changes[0];
}

const isVisible = ({ read, list }: Powers) => read || list?.whole === true;
const spec: Spec = { name: "A", text: "New." };
const old: Spec = { name: "A", text: "Old." };
const liveAs = (fields: Spec, rest: object = {}): Observed => ({
  seen: "live",
  live: { ...live("context", "1", fields), label: String(fields.name) },
  settled: true,
  ...rest,
});
const seenAs = (powers: Powers, fields: Spec): Observed =>
  isVisible(powers) ? liveAs(fields) : { seen: "unobservable" };
const applied = (fields: Spec): Entry => ({ id: "1", applied: fields as Entry["applied"] });

type Row = readonly [
  sentence: string,
  isOf: (powers: Powers) => boolean,
  given: (powers: Powers) => Circumstances,
  /** Action, reason and the fields that are written. */
  expected: (powers: Powers) => string,
];
const all = () => true;
const byUpdate = ({ update }: Powers) => (update ? "update" : "supersede");

const rows: readonly Row[] = [
  [
    "new, and nowhere: created",
    ({ identity }) => identity === "created",
    () => ({ spec, seen: { seen: "nothing" }, rotation: { value: "unrecorded" } }),
    ({ writeOnly }) => `create new: name text${writeOnly ? " token" : ""}`,
  ],
  [
    "new, and declared by its id: adopted, and written where it is not as declared or cannot be compared",
    ({ identity }) => identity === "adopted",
    (powers) => ({ spec, seen: seenAs(powers, old), rotation: { value: "unrecorded" } }),
    (powers) => `adopt given:${isVisible(powers) ? "" : " name"} text${powers.writeOnly ? " token" : ""}`,
  ],
  [
    "found by its name, as declared: adopted; its value is sent where it can be changed",
    ({ identity, list }) => identity === "created" && list !== undefined,
    () => ({ spec, seen: liveAs(spec), rotation: { value: "unrecorded" } }),
    ({ update, writeOnly }) => {
      const untold = "It is unknown whether the value changed: no fingerprint of it was recorded.";
      return `adopt found:${writeOnly ? (update ? " token" : ` (${untold})`) : ""}`;
    },
  ],
  [
    "found by its name, other than declared: changed where it can be, else another is made",
    ({ identity, list }) => identity === "created" && list !== undefined,
    () => ({ spec, seen: liveAs(old), rotation: { value: "unrecorded" } }),
    ({ update, writeOnly }) =>
      `${update ? "adopt found: text" : "create new: name text"}${writeOnly ? " token" : ""}`,
  ],
  [
    "as it was: kept",
    all,
    (powers) => ({
      spec,
      seen: seenAs(powers, spec),
      entry: applied(spec),
      rotation: { value: "same" },
    }),
    (powers) => `keep ${isVisible(powers) ? "unchanged" : "unobservable"}:`,
  ],
  [
    "shown unmoved by the list: kept",
    ({ read, list }) => read && list?.whole === false,
    () => ({ spec, seen: { seen: "unmoved" }, entry: applied(spec), rotation: { value: "same" } }),
    () => "keep unchanged:",
  ],
  [
    "with a value that cannot be compared: kept, and that is said",
    ({ writeOnly }) => writeOnly,
    (powers) => ({
      spec,
      seen: seenAs(powers, spec),
      entry: applied(spec),
      rotation: { value: "unavailable", problem: { code: "not-set", message: "KEY is not set." } },
    }),
    () => "keep unverified: (It is unknown whether the value changed. KEY is not set.)",
  ],
  [
    "shown unmoved by the list, with a value that cannot be compared: kept, and that is said",
    ({ read, list, writeOnly }) => read && list?.whole === false && writeOnly,
    () => ({ spec, seen: { seen: "unmoved" }, entry: applied(spec), rotation: { value: "other-key" } }),
    () =>
      "keep unverified: (It is unknown whether the value changed: fingerprint_key is not the one it was recorded with.)",
  ],
  [
    "changed in the files: updated, or superseded with its value",
    all,
    (powers) => ({ spec, seen: seenAs(powers, old), entry: applied(old), rotation: { value: "same" } }),
    (powers) => `${byUpdate(powers)} configured: text${!powers.update && powers.writeOnly ? " token" : ""}`,
  ],
  [
    "changed in the files, with a value that cannot be compared: an update leaves the value, and that is said",
    ({ update, writeOnly }) => update && writeOnly,
    (powers) => ({
      spec,
      seen: seenAs(powers, old),
      entry: applied(old),
      rotation: { value: "unrecorded" },
    }),
    () =>
      "update configured: text (It is unknown whether the value changed: no fingerprint of it was recorded.)",
  ],
  [
    "changed elsewhere: drifted where it can be seen",
    all,
    (powers) => ({ spec, seen: seenAs(powers, old), entry: applied(spec), rotation: { value: "same" } }),
    (powers) =>
      isVisible(powers)
        ? `${byUpdate(powers)} drifted: text${!powers.update && powers.writeOnly ? " token" : ""}`
        : "keep unobservable:",
  ],
  [
    "with another value: sent by an update, or with a new object",
    ({ writeOnly }) => writeOnly,
    (powers) => ({ spec, seen: seenAs(powers, spec), entry: applied(spec), rotation: { value: "changed" } }),
    (powers) => `${byUpdate(powers)} rotated: token`,
  ],
  [
    "with another value and other fields: both are sent",
    ({ writeOnly }) => writeOnly,
    (powers) => ({ spec, seen: seenAs(powers, old), entry: applied(old), rotation: { value: "changed" } }),
    (powers) => `${byUpdate(powers)} configured: text token`,
  ],
  [
    "gone: made again, or missing where it cannot be",
    ({ read }) => read,
    () => ({ spec, seen: { seen: "absent" }, entry: applied(spec), rotation: { value: "same" } }),
    ({ identity, writeOnly }) =>
      identity === "created"
        ? `create vanished: name text${writeOnly ? " token" : ""}`
        : "missing vanished: (The account has no KIND with the id 1, and the service cannot create one: correct the id.)",
  ],
  [
    "no longer declared: forgotten",
    all,
    (powers) => ({ seen: seenAs(powers, spec), entry: applied(spec) }),
    () => "forget removed: (It stays.)",
  ],
  [
    "no longer declared, when the files said that it goes with its declaration: deleted where it can be",
    all,
    (powers) => ({ seen: seenAs(powers, spec), entry: { ...applied(spec), onRemoval: "delete" } }),
    (powers) => {
      const cannot =
        "Its declaration said `on_removal: delete`, but without service.profile nothing is deleted.";
      if (!powers.remove) return `forget removed: (It stays.) (${cannot})`;
      const unseen = " (It may have been edited elsewhere: the service cannot show it.)";
      return `delete removed:${isVisible(powers) ? "" : unseen}`;
    },
  ],
  [
    "no longer declared, and changed elsewhere: deleted only where that is allowed",
    ({ remove, ...powers }) => remove && isVisible({ remove, ...powers }),
    () => ({ seen: liveAs(old), entry: { ...applied(spec), onRemoval: "delete" } }),
    () => "delete drifted: text",
  ],
  [
    "no longer declared, and gone: forgotten",
    ({ remove, read }) => remove && read,
    () => ({ seen: { seen: "absent" }, entry: { ...applied(spec), onRemoval: "delete" } }),
    () => "forget vanished:",
  ],
];

function inShort({ action, reason, kind, fields, notes }: Change): string {
  const written = fields.map(({ field }) => ` ${field}`).join("");
  const said = notes.map((note) => ` (${note.replace(kind, "KIND")})`).join("");
  return `${action} ${reason}:${written}${said}`;
}

describe("an object of any kind that is", () => {
  it.each(rows)("%s", (_sentence, isOf, given, expected) => {
    const those = kinds.filter(({ powers }) => isOf(powers));
    const planned = those.map((one) => {
      const change = changeOf(one, given(one.powers));
      return [inWords(one.powers), change && inShort(change)];
    });
    expect(planned.length).toBeGreaterThan(0);
    expect(planned).toEqual(those.map(({ powers }) => [inWords(powers), expected(powers)]));
  });
});

describe("what an unanswered create made, when it is found", () => {
  const listed = kinds.filter(({ powers }) => powers.identity === "created" && isVisible(powers));
  const sent = { sent: spec as Intent["sent"], at: "2026-01-02T00:00:00.000Z" };
  const made: Observed = liveAs(spec, { recovered: true });

  it("has the value that was sent: it is not sent again", () => {
    for (const one of listed) {
      const intent = { ...sent, fingerprints: { token: "new" } };
      const change = changeOf(one, { spec, seen: made, intent, rotation: { value: "unrecorded" } });
      expect([inWords(one.powers), change]).toMatchObject([
        inWords(one.powers),
        { action: "adopt", reason: "recovered", fields: [], entry: { fingerprints: { token: "new" } } },
      ]);
    }
  });

  it("leaves what it superseded as stale", () => {
    for (const one of listed.filter(({ powers }) => !powers.update)) {
      const entry: Entry = { id: "0", applied: old as Entry["applied"], fingerprints: { token: "old" } };
      const intent = { ...sent, action: "supersede" as const, fingerprints: { token: "new" } };
      const stale = [{ id: "0", label: "A", since: sent.at }];
      const given = { seen: made, intent, entry, rotation: { value: "same" } as const };
      expect(changeOf(one, { ...given, spec })).toMatchObject({
        action: "keep",
        entry: { id: "1", fingerprints: { token: "new" }, stale },
      });
      // Also where the files have changed since: it is superseded in its turn, and its id must not be lost.
      expect(changeOf(one, { ...given, spec: { ...spec, text: "Newer." } })).toMatchObject({
        action: "supersede",
        entry: { id: "1", stale },
      });
    }
  });
});

const field = fc.constantFrom("Old.", "New.");
const anySpec: fc.Arbitrary<Spec> = fc.record({ name: fc.constantFrom("A", "B"), text: field });
const anyRotation = fc.oneof(
  fc.constantFrom("same", "changed", "unrecorded", "other-key").map((value): Rotation => ({ value })),
  fc.constant<Rotation>({ value: "unavailable", problem: { code: "not-set", message: "KEY is not set." } }),
);
const anySeen: fc.Arbitrary<Observed> = fc.oneof(
  fc.constantFrom<Observed[]>(
    { seen: "absent" },
    { seen: "unobservable" },
    { seen: "nothing" },
    { seen: "several", candidates: [] },
    { seen: "unclear", candidates: [] },
  ),
  fc
    .tuple(anySpec, fc.constantFrom({}, { recovered: true }, { recreated: true }))
    .map(([fields, rest]) => liveAs(fields, rest)),
);

it("no change asks a kind for what it cannot do, whatever is observed", () => {
  const given = fc.record(
    {
      spec: anySpec,
      seen: anySeen,
      entry: anySpec.map(applied),
      intent: fc.record({
        sent: anySpec.map((sent) => sent as Intent["sent"]),
        action: fc.constantFrom("create", "update", "supersede"),
      }),
      rotation: anyRotation,
      accept: fc.boolean(),
    },
    { requiredKeys: ["seen"] },
  );
  fc.assert(
    fc.property(fc.constantFrom(...kinds), given, (one, circumstances) => {
      const change = changeOf(one, circumstances as Circumstances);
      const { powers, kind } = one;
      // What no observation of such an object comes to.
      const { seen } = circumstances.seen;
      const isImpossible =
        powers.identity === "adopted"
          ? ["nothing", "several", "unclear"].includes(seen)
          : seen === "unobservable" && circumstances.entry === undefined;
      if (!change || isImpossible) return;
      const { action, fields, overwrites, id } = change;
      const cannot =
        ((action === "update" || (action === "adopt" && fields.length > 0)) && (!kind.update || !id)) ||
        ((action === "create" || action === "supersede") && !kind.create) ||
        (action === "delete" && (!kind.remove || !id));
      expect({ powers: inWords(powers), action, cannot }).toMatchObject({ cannot: false });
      // All of a new object is sent, its values included.
      const isSealed = fields.some(({ type }) => type === "write-only");
      if (action === "create" || action === "supersede") expect(isSealed).toBe(powers.writeOnly);
      if (overwrites) expect(fields.some(({ cause }) => cause !== "configured")).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
