/**
 * Runs random steps in projects with deletion enabled. An object may only disappear if a file or a user requested its
 * deletion.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createEmptyDataset, parseFault } from "../../src/emulator/index.js";
import { type Project, startProject } from "../cli/hosting.js";
import { isLong } from "../real/long.js";

const keys = ["red", "green", "blue"] as const;
type Key = (typeof keys)[number];

interface Declared {
  readonly name: string;
  readonly prompt: string;
  readonly onRemoval?: "delete" | "forget" | undefined;
  readonly protect?: boolean;
}

interface Files {
  objects: Partial<Record<Key, Declared>>;
  /** Value of `on_removal` for contexts. */
  ofKind?: "delete" | "forget" | undefined;
  isProfileNamed: boolean;
}

const anyKey = fc.constantFrom(...keys);
const policy = fc.constantFrom(undefined, "delete" as const, "forget" as const);
const fault = fc
  .tuple(
    fc.constantFrom("DELETE /v1/contexts/*", "POST /v1/contexts", "GET /v1/contexts/*", "GET /v1/contexts"),
    fc.constantFrom("drop-before", "drop-after", "cut", "500", "500 times=always", "404", "405", "429"),
  )
  .map(([match, action]) => `${match} ${action}`);

const generateConstant = <Do extends string>(what: Do) => fc.constant(what);
const declaration = {
  ...{ do: generateConstant("declare"), onRemoval: policy },
  protect: fc.constantFrom(false, false, true),
  prompt: fc.constantFrom("Be kind.", "Be brief."),
};
const removal = fc.record({ do: generateConstant("remove"), key: anyKey });
const faults = fc.array(fault, { maxLength: 3 });
const wholeApply = { do: "apply" as const, faults: [] as string[], overwrite: true };

const step = fc.oneof(
  fc.record({ ...declaration, key: anyKey }),
  removal,
  removal,
  fc.record({ do: generateConstant("move"), key: anyKey, to: anyKey }),
  fc.record({
    do: generateConstant("settings"),
    ofKind: policy,
    isProfileNamed: fc.constantFrom(true, true, false),
  }),
  fc.record({ do: generateConstant("make-elsewhere"), key: anyKey }),
  fc.record({ do: generateConstant("edit-elsewhere"), at: fc.nat(5) }),
  fc.record({ do: generateConstant("delete-elsewhere"), at: fc.nat(5) }),
  fc.record({ do: generateConstant("apply"), faults, overwrite: fc.boolean() }),
  fc.constant(wholeApply),
);
/** Random steps that start with applied objects and end with an apply. */
const life = fc
  .tuple(
    fc.tuple(...keys.map((key) => fc.record({ ...declaration, key: fc.constant(key) }))),
    fc.array(step, { minLength: 3, maxLength: 12 }),
  )
  .map(([declared, steps]): Step[] => [...declared, wholeApply, ...steps, wholeApply]);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** Facts about a live object, derived from the steps and never from avatarops' own records. */
interface Life {
  /** Keys under which an apply, even a failed one, declared the object. */
  keys: Key[];
  /** Whether the object was created outside of avatarops. */
  isForeign: boolean;
  /** Whether the recorded declaration may have `on_removal: delete`. */
  allowsDelete: boolean;
  /** Whether the recorded declaration certainly has `protect`. */
  isProtected: boolean;
}

const numRuns = Number(process.env.FUZZ_RUNS ?? (isLong ? 2_000 : 10));

it("deletes an object only if a file or a user requests the deletion, in any random sequence of steps", {
  timeout: 300_000 + numRuns * 1_000,
}, async () => {
  let deleted = 0;
  await fc.assert(
    fc.asyncProperty(life, async (steps) => {
      const project = await startProject({
        world: createEmptyDataset(),
        emulator: { profile: "liveavatar" },
      });
      const files: Files = { objects: {}, isProfileNamed: true };
      const lives = new Map<string, Life>();
      for (const one of steps) deleted += await performStep(project, files, lives, one);
      await project.emulator.close();
    }),
    { numRuns },
  );
  // Without a delete, the test would prove nothing.
  expect(deleted).toBeGreaterThan(0);
});

/** Runs a step, updates `lives`, and returns the number of objects that avatarops deleted. */
async function performStep(
  project: Project,
  files: Files,
  lives: Map<string, Life>,
  one: Step,
): Promise<number> {
  const { emulator } = project;
  const { contexts } = emulator.world;
  switch (one.do) {
    case "declare": {
      const { do: _, key, ...declared } = one;
      const name = files.objects[key]?.name ?? key;
      if (Object.entries(files.objects).some(([other, taken]) => other !== key && taken.name === name))
        return 0;
      files.objects[key] = { ...declared, name };
      return 0;
    }
    case "remove":
      delete files.objects[one.key];
      return 0;
    case "move": {
      // Moves the declaration to another key and keeps its name.
      const { [one.key]: declared, [one.to]: taken } = files.objects;
      if (!declared || taken) return 0;
      delete files.objects[one.key];
      files.objects[one.to] = declared;
      return 0;
    }
    case "settings":
      Object.assign(files, { ofKind: one.ofKind, isProfileNamed: one.isProfileNamed });
      return 0;
    case "make-elsewhere":
      if (contexts.some(({ name }) => name === one.key)) return 0;
      emulator.addContext({ name: one.key, prompt: "Theirs." });
      for (const { id, name } of contexts) if (name === one.key) lives.set(id, createUnmanagedLife());
      return 0;
    case "edit-elsewhere":
    case "delete-elsewhere": {
      const target = contexts[one.at];
      if (!target) return 0;
      if (one.do === "delete-elsewhere") emulator.removeContext(target.id);
      else emulator.editContext(target.id, { prompt: `${target.prompt} Edited.` });
      return 0;
    }
    case "apply":
      return apply(project, files, lives, one);
  }
}

async function apply(
  project: Project,
  files: Files,
  lives: Map<string, Life>,
  { faults, overwrite }: Extract<Step, { do: "apply" }>,
): Promise<number> {
  const { emulator } = project;
  const before = emulator.world.contexts.map(({ id, name, prompt }) => ({ id, name, prompt }));
  await project.write("avatarops.yaml", formatManifest(files));
  for (const text of faults) emulator.addFault(parseFault(text));
  const ran = await project.avatarops("apply", "--auto-approve", ...(overwrite ? ["--overwrite-drift"] : []));
  emulator.clearFaults();
  expect(ran.stderr).not.toContain("bug in avatarops");
  const left = new Set(emulator.world.contexts.map(({ id }) => id));
  const gone = before.filter(({ id }) => !left.has(id));
  for (const { id, name } of gone) {
    const life = lives.get(id) ?? createUnmanagedLife();
    const isRequested =
      !life.isProtected && (life.allowsDelete || (files.ofKind === "delete" && !life.isForeign));
    const hasLeft = life.keys.some((key) => !files.objects[key]);
    expect({ name, isRequested, hasLeft, profile: files.isProfileNamed }, ran.stdout).toEqual({
      ...{ name, isRequested: true, hasLeft: true, profile: true },
    });
  }
  for (const { id, name } of emulator.world.contexts) {
    const isForeign = before.some((one) => one.id === id);
    const life = lives.get(id) ?? { ...createUnmanagedLife(), isForeign };
    lives.set(id, life);
    const [key] = keys.filter((one) => files.objects[one]?.name === name);
    const declared = key && files.objects[key];
    if (!declared) continue;
    life.keys = ran.exit === 0 ? [key] : [...life.keys, key];
    const allowsDelete = files.isProfileNamed && declared.onRemoval === "delete";
    // A failed apply may or may not have recorded the new declaration.
    life.allowsDelete = allowsDelete || (life.allowsDelete && ran.exit !== 0);
    life.isProtected = declared.protect === true && (life.isProtected || ran.exit === 0);
  }
  return gone.length;
}

/** Returns the facts about an object that avatarops has never managed. */
function createUnmanagedLife(): Life {
  return { keys: [], isForeign: true, allowsDelete: false, isProtected: false };
}

function formatManifest({ objects, ofKind, isProfileNamed }: Files): string {
  const lines = Object.entries(objects).map(([key, { name, prompt, onRemoval, protect }]) => {
    // Deletes require the profile.
    const policy = onRemoval === "delete" && !isProfileNamed ? undefined : onRemoval;
    return `  ${key}: { name: ${name}, prompt: ${JSON.stringify(prompt)}, protect: ${protect}${policy ? `, on_removal: ${policy}` : ""} }\n`;
  });
  return [
    isProfileNamed ? "service: { profile: liveavatar }\n" : "",
    ofKind && (isProfileNamed || ofKind === "forget") ? `on_removal: { contexts: ${ofKind} }\n` : "",
    lines.length > 0 ? `contexts:\n${lines.join("")}` : "contexts: {}\n",
  ].join("");
}
