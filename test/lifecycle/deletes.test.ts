/**
 * Checks that undeclared objects are deleted if the files request it. Each fault has the same result for every
 * kind.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { expectSuccess, localMachine, matchText, type Project, startProject } from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { startAccount, startRun, type Values } from "../terraform/unit/driving.js";
import { applyUntilKilled } from "./killed.js";

const profile = "service: { profile: liveavatar }\n";

type Account = Pick<Project, "emulator">;

interface Kind {
  readonly address: string;
  readonly path: string;
  /** Request path for reading the object. */
  readonly readAt: string;
  /** Returns files that declare the object, with optional further settings. */
  declared(more?: string): string;
  /** Returns the same declaration for Terraform. */
  config(account: Account): Values;
  inAccount(account: Account): number;
  /** Deletes the object in the dashboard. */
  remove(account: Account): void;
  /** Manifest text that remains after the object is removed from the files. */
  readonly rest?: string;
}

const key =
  "secrets:\n  key: { secret_name: Key, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY }\n";

const kinds: Readonly<Record<string, Kind>> = {
  context: {
    address: "context.desk",
    path: "/v1/contexts/*",
    readAt: "/v1/contexts/*",
    declared: (more = "") => `${profile}contexts:\n  desk: { name: Desk, prompt: Be kind.${more} }\n`,
    config: () => ({ name: "Desk", prompt: "Be kind." }),
    inAccount: ({ emulator }) => emulator.world.contexts.length,
    remove: ({ emulator }) => void emulator.world.contexts.splice(0),
  },
  secret: {
    address: "secret.llm",
    path: "/v1/secrets/*",
    readAt: "/v1/secrets",
    declared: (more = "") =>
      `${profile}secrets:\n  llm: { secret_name: LLM, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY${more} }\n`,
    config: () => ({
      ...{ secret_name: "LLM", secret_type: "LLMPROVIDER_API_KEY", secret_value_wo: "a-key" },
    }),
    inAccount: ({ emulator }) => emulator.world.secrets.length,
    remove: ({ emulator }) => void emulator.world.secrets.splice(0),
  },
  llm_configuration: {
    address: "llm_configuration.main",
    path: "/v1/llm-configurations/*",
    readAt: "/v1/llm-configurations/*",
    declared: (more = "") =>
      `${profile}${key}llm_configurations:\n  main: { display_name: Main, model_name: gpt-4o, secret: key${more} }\n`,
    config({ emulator }) {
      const named = {
        secret_name: "Key",
        secret_type: "LLM_API_KEY",
        created_at: "2026-01-01T00:00:00.000Z",
      };
      emulator.world.secrets.push({ id: "s-1", ...named });
      return { display_name: "Main", model_name: "gpt-4o", secret_id: "s-1" };
    },
    inAccount: ({ emulator }) => emulator.world.llmConfigurations.length,
    remove: ({ emulator }) => void emulator.world.llmConfigurations.splice(0),
    rest: key,
  },
};
/** Selects all kinds in a long run, and only these kinds in a short run. */
const selectKinds = (...names: readonly string[]) =>
  Object.entries(kinds).filter(([name]) => isLong || names.includes(name));

const formatWithout = ({ rest = "contexts: {}\n" }: Kind) => profile + rest;

async function start({ declared }: Kind, more = ", on_removal: delete"): Promise<Project> {
  const project = await startProject({
    world: createEmptyDataset(),
    emulator: { profile: "liveavatar" },
    environment: { KEY: "a-key-of-the-provider" },
  });
  await project.write("avatarops.yaml", declared(more));
  await project.expectDone("apply", "-y");
  return project;
}

const countDeletes = ({ emulator }: Account) =>
  emulator.requests.filter(({ method }) => method === "DELETE").length;

/** Request fault and exit code of the first apply. */
const answers: readonly [string, number][] = [
  ["429 retry-after=0", 0],
  ["drop-before", 0],
  ["drop-after", 0],
  ["cut", 0],
  ["500", 0],
  ["500-after", 0],
  ["malformed body=<html>", 0],
  ["drop-after times=always", 0],
  ["drop-before times=always", 1],
  ["500 times=always", 1],
  ["403", 1],
  ["404", 1],
  ["405", 1],
];
/**
 * Returns the faults to test with a kind. In a short run, the command and Terraform each test one half with contexts.
 * Other kinds differ only in how a missing object is recognized, so they are tested only with lost requests and 404s.
 */
const selectAnswers = (name: string, half: 0 | 1) =>
  answers.filter(
    ([fault], at) => isLong || (name === "context" ? at % 2 === half : /drop-.*always|404/.test(fault)),
  );

describe.each(selectKinds("context", "secret"))("%s removed from the files", (name, kind) => {
  let project: Project;
  beforeEach(async () => {
    project = await start(kind);
    await project.write("avatarops.yaml", formatWithout(kind));
  });

  it("appears as a delete in text, Markdown and JSON plans, and is deleted with one request", async () => {
    expect((await project.avatarops("plan")).stdout).toMatch(
      new RegExp(`- delete    ${kind.address} .*\n +removed from the files\n[^]*1 to delete;`),
    );
    expect((await project.avatarops("plan", "--format", "markdown")).stdout).toContain(kind.address);
    const json = await project.json("plan");
    const changes = [{ address: kind.address, action: "delete" }];
    expect(json).toMatchObject({ exit: "changes", summary: { delete: 1, forget: 0 }, changes });
    const { stdout } = await project.expectApplied();
    expect(stdout).toMatch(/deleted/);
    expect(stdout).not.toContain("The response was lost");
    expect([kind.inAccount(project), countDeletes(project)]).toEqual([0, 1]);
    expect((await project.avatarops("history")).stdout).toContain(kind.address);
    expect((await project.avatarops("state", "list")).stdout).not.toContain(kind.address);
  });

  it.each(selectAnswers(name, 0))("is eventually deleted after any response: %s", async (fault, exit) => {
    project.emulator.addFault(`DELETE ${kind.path} ${fault}`);
    const ran = await project.avatarops("apply", "--auto-approve");
    expect(ran, ran.stdout).toMatchObject({ exit });
    expect(kind.inAccount(project)).toBe(exit);
    if (fault === "drop-before times=always")
      expect(ran.stdout).toEqual(matchText("It still exists. Apply again to delete it."));
    if (fault === "drop-after times=always") expect(ran.stdout).toEqual(matchText("The response was lost"));
    if (fault === "403") expect(ran.stdout).not.toEqual(matchText("It still exists"));
    if (/^40[45]/.test(fault)) expect(ran.stdout).toEqual(matchText("correct or remove profile"));
    project.emulator.clearFaults();
    await project.expectApplied();
    expect(kind.inAccount(project)).toBe(0);
  });

  it("stays in the state as an unfinished delete if the delete gets a 404 and reads fail", async () => {
    const run = () => project.emulator.addFault(`GET ${kind.readAt} 500 times=always`);
    project.emulator.addFault({ match: { method: "DELETE" }, do: { kind: "run", run } });
    project.emulator.addFault(`DELETE ${kind.path} 404`);
    const ran = await project.avatarops("apply", "--auto-approve");
    expect(ran, ran.stdout).toMatchObject({ exit: 4 });
    expect((await project.avatarops("state", "list")).stdout).toContain(`delete of ${kind.address}`);
    project.emulator.clearFaults();
    await project.expectApplied();
    expect(kind.inAccount(project)).toBe(0);
  });

  it("counts as deleted if it was deleted in the dashboard first", async () => {
    project.emulator.addFault({
      match: { method: "DELETE" },
      do: { kind: "run", run: () => kind.remove(project) },
    });
    await project.expectApplied();
    expect(countDeletes(project)).toBe(1);
  });

  // A short run tests one kind that can be read and one that cannot.
  it.each(["before", "after"] as const)(
    "is gone after the next apply if the process is killed %s the delete",
    { tags: name === "llm_configuration" ? "night" : [] },
    async (when) => {
      await applyUntilKilled(project, { method: "DELETE" }, when);
      expect(kind.inAccount(project)).toBe(when === "before" ? 1 : 0);
      await expectSuccess(project.avataropsWith(localMachine, "apply", "--auto-approve"));
      expect(kind.inAccount(project)).toBe(0);
      await project.expectNothingToDo();
    },
  );

  it("stays in the account if the profile is removed, and the plan explains why", async () => {
    await project.write("avatarops.yaml", formatWithout(kind).replace(profile, ""));
    const plan = (await project.avatarops("plan")).stdout.replace(/\s+/g, " ");
    expect(plan).toContain(`forget ${kind.address}`);
    expect(plan).toContain("nothing is deleted without service.profile");
    await project.expectApplied();
    expect([kind.inAccount(project), countDeletes(project)]).toEqual([1, 0]);
  });

  it(`is not deleted while protected (${name})`, async () => {
    const other = await start(kind, ", on_removal: delete, protect: true");
    await other.write("avatarops.yaml", formatWithout(kind));
    const refused = await other.avatarops("apply", "--auto-approve", "--overwrite-drift");
    expect(refused).toMatchObject({ exit: 1, stdout: matchText("[protected]") });
    expect([kind.inAccount(other), countDeletes(other)]).toEqual([1, 0]);
    await other.write("avatarops.yaml", kind.declared(", on_removal: delete"));
    await other.expectApplied();
    await other.write("avatarops.yaml", formatWithout(kind));
    await other.expectApplied();
    expect([kind.inAccount(other), countDeletes(other)]).toEqual([0, 1]);
  });
});

describe.each(selectKinds("context"))("%s destroyed by Terraform", (name, kind) => {
  const settings = { profile: "liveavatar" } as const;
  const type = `avatarops_${name}`;

  async function made() {
    const emulator = await startAccount({ ...settings, world: createEmptyDataset() });
    const { kept } = await (await startRun(emulator, settings)).apply(type, {
      ...{ ...kind.config({ emulator }), on_removal: "delete" },
    });
    if (!kept) throw new Error("Nothing was made.");
    const destroy = async () => {
      const { diagnostics } = await (await startRun(emulator, settings)).apply(type, null, kept);
      return diagnostics.filter(({ severity }) => severity === "error");
    };
    return { emulator, destroy };
  }

  it.each(selectAnswers(name, 1))(
    "is deleted by the first destroy or, after an error, by the next one: %s",
    async (fault, exit) => {
      const { emulator, destroy } = await made();
      emulator.addFault(`DELETE ${kind.path} ${fault}`);
      const errors = await destroy();
      expect(errors).toHaveLength(exit);
      expect(kind.inAccount({ emulator })).toBe(exit);
      if (/^40[45]/.test(fault)) expect(errors[0]?.detail).toContain("correct or remove profile");
      emulator.clearFaults();
      expect(await destroy()).toEqual([]);
      expect(kind.inAccount({ emulator })).toBe(0);
    },
  );
});

describe("on_removal", () => {
  const kind = kinds.context as Kind;
  const byKind = (text: string) => `on_removal: { contexts: delete }\n${text}`;

  it("can be changed without a write to the account and appears in the history", async () => {
    const project = await start(kind, "");
    project.emulator.requests.splice(0);
    await project.write("avatarops.yaml", kind.declared(", on_removal: delete"));
    expect((await project.avatarops("plan")).stdout).toContain('on_removal    "default" → "delete"');
    await project.expectApplied();
    expect(project.emulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect((await project.avatarops("history")).stdout).toContain("on_removal: delete");
  });

  it("deletes objects created by avatarops if set for a kind", async () => {
    const project = await start(kind, "");
    await project.write("avatarops.yaml", byKind(formatWithout(kind)));
    await project.expectApplied();
    expect(kind.inAccount(project)).toBe(0);
  });

  it("keeps adopted objects unless their own declaration requests deletion", async () => {
    const project = await startProject({ world: createEmptyDataset(), emulator: { profile: "liveavatar" } });
    project.emulator.addContext({ name: "Desk", prompt: "Theirs." });
    for (const [more, left] of [
      ["", 1],
      [", on_removal: delete", 0],
    ] as const) {
      await project.write("avatarops.yaml", byKind(kind.declared(more)));
      await project.expectApplied();
      await project.write("avatarops.yaml", byKind(formatWithout(kind)));
      const plan = (await project.avatarops("plan")).stdout.replace(/\s+/g, " ");
      if (left === 1) expect(plan).toContain("The object stays, because avatarops may not have created it");
      await project.expectApplied();
      expect(kind.inAccount(project)).toBe(left);
    }
  });

  it("uses a declaration's own value instead of the value set for its kind", async () => {
    const project = await start(kind, ", on_removal: forget");
    await project.write("avatarops.yaml", byKind(formatWithout(kind)));
    await project.expectApplied();
    expect(kind.inAccount(project)).toBe(1);
  });

  it("counts its deletes toward the thresholds, and respects a hold", async () => {
    const project = await start(kind);
    await project.write(
      "avatarops.yaml",
      `thresholds: { min_objects: 1, max_percent: 0 }\n${formatWithout(kind)}`,
    );
    const refused = await project.avatarops("apply", "--auto-approve");
    expect(refused.stderr).toContain("removes 1 of 1");
    await project.avatarops("hold", "--reason", "audit", kind.address);
    await project.write("avatarops.yaml", formatWithout(kind));
    await project.avatarops("apply", "--auto-approve");
    expect([kind.inAccount(project), countDeletes(project)]).toEqual([1, 0]);
    await project.avatarops("release", kind.address);
    await project.expectApplied();
    expect(kind.inAccount(project)).toBe(0);
  });
});
