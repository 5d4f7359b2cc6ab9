/**
 * Runs random steps in a project: file changes, dashboard edits, lost responses and applies. Once the service works
 * again, one apply makes the account match the files, the next plan is empty, and no object was created twice. An
 * ignored field keeps the value that another system wrote.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { createEmptyDataset, parseFault } from "../../src/emulator/index.js";
import { type CommandResult, expectSuccess, type Project, startProject } from "../cli/hosting.js";
import { scaleRuns } from "../real/long.js";

/** Keys of contexts. Each is also the context's name, unless renamed. */
const keys = ["red", "green", "blue"] as const;
type Key = (typeof keys)[number];
type Declared = Partial<Record<Key, { name: string; prompt: string; opening?: string; links?: number }>>;

const prompt = fc.constantFrom(
  ...["", "Be kind.", "Be brief.\n\nAnd kind.", "Use ${name}.", "a".repeat(300)],
);
const fault = fc
  .tuple(
    fc.constantFrom("POST /v1/contexts", "PATCH /v1/contexts/*", "GET /v1/contexts/*", "GET /v1/contexts"),
    fc.constantFrom("drop-before", "drop-after", "cut", "500", "429", "400", "malformed body=<html>"),
  )
  .map(([match, action]) => `${match} ${action}`);

const anyKey = fc.constantFrom(...keys);

const generateConstant = <Do extends string>(what: Do) => fc.constant(what);
const declaration = {
  ...{ do: generateConstant("declare"), key: anyKey, prompt },
  ...{ opening: fc.constantFrom<string>("", "Hi."), links: fc.nat(2) },
};
const apply = {
  ...{ do: generateConstant("apply"), overwrite: fc.boolean() },
  faults: fc.array(fault, { maxLength: 3 }),
  // Another system writes an object's ignored field at its first, second or third read.
  writes: fc.record({ at: fc.nat(2), text: fc.constantFrom<string>("", "New."), skip: fc.nat(2) }),
};
const step = fc.oneof(
  fc.record(declaration, { requiredKeys: ["do", "key", "prompt"] }),
  fc.record({ do: generateConstant("rename"), key: anyKey, name: fc.constantFrom("cyan", "red", "pink") }),
  fc.record({ do: generateConstant("remove"), key: anyKey }),
  fc.record({ do: generateConstant("swap-names"), keys: fc.tuple(anyKey, anyKey) }),
  fc.record({ do: generateConstant("edit-elsewhere"), at: fc.nat(5), prompt, isDeclared: fc.boolean() }),
  fc.record({ do: generateConstant("remove-elsewhere"), at: fc.nat(5), isAnsweredByPage: fc.boolean() }),
  fc.record({
    do: generateConstant("write-ignored"),
    at: fc.nat(5),
    text: fc.constantFrom<string>("", "$& ${x}\r\n"),
  }),
  fc.record(apply, { requiredKeys: ["do", "faults", "overwrite"] }),
  fc.record({ do: generateConstant("pull") }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const numRuns = Number(process.env.FUZZ_RUNS ?? scaleRuns(120));

it("reaches an empty plan after random edits, faults and applies, and never creates an object twice", {
  // This timeout only stops a run that hangs.
  timeout: 300_000 + numRuns * 500,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 9 }),
      fc.boolean(),
      fc.boolean(),
      async (steps, ignores, tellsSeconds) => {
        const timestampPrecision = tellsSeconds ? "s" : "ms";
        // Advances by a few seconds before each step, so no command waits for the clock.
        let nowMs = Date.UTC(2026, 0, 1);
        const project = await startProject({
          world: createEmptyDataset(),
          emulator: { behavior: { timestampPrecision }, now: () => nowMs },
        });
        const declared: Declared = {};
        for (const one of [...(ignores ? beginning : []), ...steps]) {
          nowMs += 3_001;
          await performStep(project, declared, one, ignores);
        }
        nowMs += 3_001;
        await project.write("avatarops.yaml", formatManifest(declared, ignores));
        clearFaults(project);

        await expectSuccess(applyBesideSystem(project, ignores, ["--overwrite-drift"]));
        await project.expectDone("plan", "--detailed-exitcode");
        expectAsDeclared(project, declared, ignores);
        await project.emulator.close();
      },
    ),
    { numRuns },
  );
});

/** First steps, in which another system writes to an object that was just created. */
const beginning: readonly Step[] = [
  { do: "declare", key: "red", prompt: "Be kind.", opening: "Ours." },
  { do: "apply", faults: [], overwrite: false },
  { do: "write-ignored", at: 0, text: "Theirs." },
];

async function performStep(project: Project, declared: Declared, one: Step, ignores: boolean): Promise<void> {
  const { contexts } = project.emulator.world;
  switch (one.do) {
    case "declare": {
      const name = declared[one.key]?.name ?? one.key;
      if (isTaken(declared, one.key, name)) break;
      const { do: _, key, ...fields } = one;
      declared[key] = { name, ...fields };
      break;
    }
    case "rename": {
      const own = declared[one.key];
      if (own && !isTaken(declared, one.key, one.name)) declared[one.key] = { ...own, name: one.name };
      break;
    }
    case "swap-names": {
      const [first, second] = one.keys;
      const [a, b] = [declared[first], declared[second]];
      if (!a || !b) break;
      Object.assign(declared, { [first]: { ...a, name: b.name }, [second]: { ...b, name: a.name } });
      break;
    }
    case "remove":
      delete declared[one.key];
      break;
    case "edit-elsewhere":
    case "remove-elsewhere": {
      const target = [...contexts][one.at];
      if (!target) return;
      if (one.do === "edit-elsewhere")
        project.emulator.editContext(
          target.id,
          one.isDeclared ? { prompt: one.prompt } : { opening_text: "Theirs." },
        );
      else {
        project.emulator.removeContext(target.id);
        if (one.isAnsweredByPage) listHtmlPages(project).add(target.id);
        clearFaults(project);
      }
      break;
    }
    case "write-ignored": {
      const target = [...contexts][one.at];
      if (target && ignores) project.emulator.editContext(target.id, { opening_text: one.text });
      break;
    }
    case "apply": {
      await project.write("avatarops.yaml", formatManifest(declared, ignores));
      clearFaults(project);
      for (const text of one.faults) project.emulator.addFault(parseFault(text));
      const ran = await applyBesideSystem(
        project,
        ignores,
        one.overwrite ? ["--overwrite-drift"] : [],
        one.writes,
      );
      expect([0, 1, 3, 4], ran.stdout + ran.stderr).toContain(ran.exit);
      expect(ran.stderr).not.toContain("bug in avatarops");
      break;
    }
    case "pull": {
      await project.write("avatarops.yaml", formatManifest(declared, ignores));
      const before = [...contexts].map((context) => ({ ...context }));
      const ran = await project.avatarops("pull");
      expect([0, 1, 3, 4], ran.stdout + ran.stderr).toContain(ran.exit);
      expect([...contexts]).toEqual(before);
    }
  }
}

/** Applies while the other system writes, and expects that system's text to survive. */
async function applyBesideSystem(
  project: Project,
  ignores: boolean,
  flags: readonly string[],
  writes?: Extract<Step, { do: "apply" }>["writes"],
): Promise<CommandResult> {
  const { contexts } = project.emulator.world;
  const before = new Map([...contexts].map(({ id, opening_text }) => [id, opening_text]));
  const target = ignores && writes && [...contexts][writes.at];
  if (target) {
    const run = () => {
      project.emulator.editContext(target.id, { opening_text: writes.text });
      before.set(target.id, writes.text);
    };
    project.emulator.addFault({
      ...{ match: { method: "GET", path: `/v1/contexts/${target.id}` }, skip: writes.skip },
      do: { kind: "run", run },
    });
  }
  const ran = await project.avatarops("apply", "--auto-approve", ...flags);
  for (const { id, opening_text } of ignores ? contexts : [])
    expect(opening_text).toBe(before.has(id) ? before.get(id) : opening_text);
  return ran;
}

const answeredByPage = new WeakMap<Project, Set<string>>();

/** Returns the ids of deleted contexts whose URLs return an HTML page. */
function listHtmlPages(project: Project): Set<string> {
  const ids = answeredByPage.get(project) ?? new Set();
  answeredByPage.set(project, ids);
  return ids;
}

/** Removes all faults except the HTML pages for deleted contexts. */
function clearFaults(project: Project): void {
  project.emulator.clearFaults();
  for (const id of listHtmlPages(project))
    project.emulator.addFault({
      match: { path: `/v1/contexts/${id}` },
      times: Number.POSITIVE_INFINITY,
      do: {
        kind: "status",
        status: 404,
        body: "<html>Not Found</html>",
        headers: { "content-type": "text/html" },
      },
    });
}

/** Whether another declaration has the name. Names are unique in the account. */
function isTaken(declared: Declared, key: Key, name: string): boolean {
  return Object.entries(declared).some(([other, { name: taken }]) => other !== key && taken === name);
}

function formatManifest(declared: Declared, ignores: boolean): string {
  const contexts = Object.entries(declared).map(([key, { name, prompt: text, opening, links }]) => [
    `  ${key}:`,
    `    name: ${name}`,
    `    prompt: ${JSON.stringify(text)}`,
    ...(ignores ? ["    ignore_changes: [opening_text]"] : []),
    ...(opening === undefined ? [] : [`    opening_text: ${JSON.stringify(opening)}`]),
    ...(links === undefined ? [] : [`    links: ${JSON.stringify(createLinks(links))}`]),
  ]);
  return contexts.length === 0 ? "drift: refuse\n" : `contexts:\n${contexts.flat().join("\n")}\n`;
}

function createLinks(count: number): { url: string; faq: string }[] {
  return Array.from({ length: count }, (_, at) => ({ url: `https://example.com/${at}`, faq: `Page ${at}` }));
}

function expectAsDeclared({ emulator }: Project, declared: Declared, ignores: boolean): void {
  const live = [...emulator.world.contexts];
  for (const { name, prompt: text, opening, links } of Object.values(declared)) {
    const named = live.filter((context) => context.name === name);
    expect(named.map((context) => context.prompt)).toEqual([text]);
    if (opening !== undefined && !ignores) expect(named[0]?.opening_text).toBe(opening);
    if (links !== undefined)
      expect(named[0]?.links.map(({ url, faq }) => ({ url, faq }))).toEqual(createLinks(links));
  }
}
