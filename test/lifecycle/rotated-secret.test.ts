/**
 * Tests a new value for a secret used by an LLM configuration. Apply creates the new secret, updates the configuration
 * and deletes the old secret. After an interruption at any step, the next apply completes the rotation.
 */
import { describe, expect, it } from "vitest";
import { createEmptyDataset, type LlmConfiguration } from "../../src/emulator/index.js";
import {
  type CommandResult,
  expectSuccess,
  localMachine,
  matchText,
  type Project,
  startProject,
} from "../cli/hosting.js";
import { isLong } from "../real/long.js";
import { applyUntilKilled } from "./killed.js";

const manifest = `service: { profile: liveavatar }
secrets:
  llm: { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY, on_rotation: delete_old }
llm_configurations:
  main: { display_name: Main, model_name: gpt-4o, secret: llm }
`;

const at = "2026-01-01T00:00:00.000Z";
const theirKey = "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120001";
/** Undeclared secret and the configuration that uses it. Both must stay. */
const theirs = {
  secrets: [{ id: theirKey, secret_name: "Theirs", secret_type: "LLM_API_KEY", created_at: at }],
  llmConfigurations: [
    {
      ...{ id: "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120002", display_name: "Theirs", model_name: "gpt-4o" },
      ...{ secret_id: theirKey, base_url: null, created_at: at, updated_at: at },
    },
  ],
};

interface World {
  readonly project: Project;
  /** Secret id before the rotation. */
  readonly old: string;
  run(...argv: string[]): Promise<CommandResult>;
}

/** Applies a secret and a configuration. The returned `run` uses a new secret value. */
async function start(text = manifest): Promise<World> {
  const project = await startProject({
    ...{
      world: { ...createEmptyDataset(), ...structuredClone(theirs) },
      emulator: { profile: "liveavatar" },
    },
    files: { "avatarops.yaml": text },
  });
  const run = (KEY: string, ...argv: string[]) =>
    project.avataropsWith({ environment: { KEY }, ...localMachine }, ...argv);
  await expectSuccess(run("old", "apply", "--auto-approve"));
  project.emulator.requests.splice(0);
  return { project, old: listOwn(project).secrets[0]?.id ?? "", run: (...argv) => run("new", ...argv) };
}

/** Returns the live declared objects, and expects the undeclared objects to still exist. */
function listOwn({ emulator: { world } }: Project) {
  const [theirSecret, ...secrets] = world.secrets;
  const [theirConfiguration, ...configurations] = world.llmConfigurations as LlmConfiguration[];
  expect([theirSecret, theirConfiguration]).toEqual([theirs.secrets[0], theirs.llmConfigurations[0]]);
  return { secrets, configurations };
}

const listWrites = ({ emulator }: Project) => emulator.requests.filter(({ method }) => method !== "GET");

/** Applies, and expects that the configuration uses a secret with the new value and the old secret is deleted last. */
async function expectRotated({ project, old, run }: World): Promise<void> {
  await expectSuccess(run("apply", "--auto-approve"));
  const { secrets, configurations } = listOwn(project);
  expect(secrets.map(({ id }) => project.emulator.secretValue(id))).toEqual(["new"]);
  expect(configurations).toMatchObject([{ display_name: "Main", secret_id: secrets[0]?.id }]);
  const sent = listWrites(project);
  const deleted = sent.filter(({ method }) => method === "DELETE").map(({ path }) => path);
  expect(new Set(deleted)).toEqual(new Set([`/v1/secrets/${old}`]));
  const order = sent.map(({ method }) => method);
  expect(order.lastIndexOf("POST")).toBeLessThan(order.indexOf("PATCH"));
  expect(order.lastIndexOf("PATCH")).toBeLessThan(order.indexOf("DELETE"));
  await expectSuccess(run("plan", "--detailed-exitcode"));
}

/** Makes another live configuration use the superseded secret. */
function addUser({ project, old }: World): { readonly other: string; remove(): void } {
  const users = project.emulator.world.llmConfigurations as LlmConfiguration[];
  const other = "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120003";
  const [first] = theirs.llmConfigurations;
  users.push({ ...(first as LlmConfiguration), id: other, secret_id: old });
  return { other, remove: () => users.pop() };
}

/** Expects only advice and no changes from plan, status, drift and apply. */
async function expectNothingToDo({ project, run }: World, advice: string): Promise<void> {
  const sent = listWrites(project).length;
  const plan = await expectSuccess(run("plan", "--detailed-exitcode", "--format", "json"));
  expect(JSON.parse(plan.stdout)).toMatchObject({
    exit: "nothing",
    changes: [],
    notices: expect.arrayContaining([
      { code: "superseded-kept", message: expect.stringContaining(advice) as string },
      // The superseded secret does not count as undeclared.
      { code: "undeclared-objects", message: expect.stringMatching(/^1 secret /) as string },
    ]),
  });
  for (const command of ["status", "drift"]) await expectSuccess(run(command));
  await expectSuccess(run("apply", "--auto-approve"));
  expect(listWrites(project)).toHaveLength(sent);
}

const steps = ["POST /v1/secrets", "PATCH /v1/llm-configurations/*", "DELETE /v1/secrets/*"];

describe("rotation of a secret that a configuration uses", () => {
  it("creates a secret, updates the configuration, then deletes the old secret", async () => {
    const world = await start();
    const plan = (await world.run("plan")).stdout;
    expect(plan).toMatch(new RegExp(`delete +secret.${world.old}`));
    expect(plan.replace(/\s+/g, " ")).toContain(
      `secret "${world.old}" → (id of secret.llm, known after apply)`,
    );
    await expectRotated(world);
    expect(listWrites(world.project).map(({ method, path }) => `${method} ${path.split("/")[2]}`)).toEqual([
      ...["POST secrets", "PATCH llm-configurations", "DELETE secrets"],
    ]);
  });

  it("keeps the old secret and explains why while another configuration uses it", async () => {
    const world = await start();
    const { other, remove } = addUser(world);
    const advice = `The superseded object ${world.old} is not deleted, because llm_configuration ${other} in the account uses it. Remove the reference, and apply again.`;
    expect((await world.run("plan")).stdout).toEqual(matchText(advice));
    await expectSuccess(world.run("apply", "--auto-approve"));
    await expectNothingToDo(world, advice);
    expect(listOwn(world.project).secrets).toHaveLength(2);
    remove();
    await expectRotated(world);
  });

  it("keeps the old secret while it is used by a configuration that the same apply stops managing", async () => {
    const world = await start();
    await world.project.write("avatarops.yaml", manifest.replace(/llm_configurations[\s\S]*/, ""));
    await expectSuccess(world.run("apply", "--auto-approve"));
    const [configuration] = listOwn(world.project).configurations;
    expect(configuration).toMatchObject({ secret_id: world.old });
    const advice = `llm_configuration ${configuration?.id} in the account uses it`;
    await expectNothingToDo(world, advice);
    // Declaring the configuration again moves it to the new secret, so the old secret is unused.
    await world.project.write("avatarops.yaml", manifest);
    expect(await world.run("plan", "--detailed-exitcode")).toMatchObject({ exit: 2 });
    await expectRotated(world);
  });

  it("keeps the old secret if a configuration could not be read for the plan", async () => {
    const world = await start();
    const { other, remove } = addUser(world);
    world.project.emulator.addFault(`GET /v1/llm-configurations/${other} 403`);
    const ran = await expectSuccess(world.run("apply", "--auto-approve"));
    expect(ran.stdout).toEqual(matchText(`is used by llm_configuration ${other} in the account`));
    await expectNothingToDo(world, `llm_configuration ${other} in the account uses it`);
    remove();
    await expectRotated(world);
  });

  it("keeps the old secret if another configuration starts to use it during the apply", async () => {
    const world = await start();
    const users = world.project.emulator.world.llmConfigurations as LlmConfiguration[];
    const other = { ...theirs.llmConfigurations[0], id: "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120003" };
    world.project.emulator.addFault({
      match: { method: "PATCH", path: "/v1/llm-configurations/*" },
      do: {
        kind: "run",
        run: () => void users.push({ ...(other as LlmConfiguration), secret_id: world.old }),
      },
    });
    const ran = await expectSuccess(world.run("apply", "--auto-approve"));
    expect(ran.stdout).toEqual(matchText(`is used by llm_configuration ${other.id}`));
    expect(listOwn(world.project).secrets).toHaveLength(2);
    users.pop();
    await expectRotated(world);
  });

  it("keeps the old secret if it was edited during the apply", async () => {
    const world = await start();
    world.project.emulator.addFault({
      match: { method: "PATCH", path: "/v1/llm-configurations/*" },
      do: {
        kind: "run",
        run({ world: { secrets } }) {
          const old = secrets.find(({ id }) => id === world.old);
          if (old) old.secret_name = "Renamed";
        },
      },
    });
    const ran = await world.run("apply", "--auto-approve");
    expect(ran).toMatchObject({ exit: 3, stdout: matchText("was edited elsewhere after the plan") });
    expect(listOwn(world.project).secrets).toHaveLength(2);
  });

  it("does not overwrite a configuration that now uses another secret", async () => {
    const world = await start();
    const mine = world.project.emulator.world.llmConfigurations[1] as LlmConfiguration;
    mine.secret_id = theirKey;
    const ran = await world.run("apply", "--auto-approve");
    expect(ran.stdout).toContain("[conflicting]");
    // The create succeeded, and the superseded secret stays.
    expect(ran.stdout).toMatch(/superseded +secret\.llm[\s\S]*skipped +secret\.[0-9a-f-]{36} +to delete/);
    expect(mine.secret_id).toBe(theirKey);
    await expectSuccess(world.run("apply", "--auto-approve", "--overwrite-drift"));
    expect(listOwn(world.project)).toMatchObject({ secrets: [{ id: mine.secret_id }] });
  });

  it("completes with --only-rotations, but after a retry only the next full apply deletes the old secret", async () => {
    const only = ["apply", "--only-rotations", "--auto-approve"];
    const whole = await start();
    expect(await whole.run(...only)).toMatchObject({ exit: 0 });
    const sent = listWrites(whole.project).length;
    await expectRotated(whole);
    expect(listWrites(whole.project)).toHaveLength(sent);

    const cut = await start();
    cut.project.emulator.addFault("PATCH /v1/llm-configurations/* 403");
    expect((await cut.run(...only)).exit).not.toBe(0);
    await expectSuccess(cut.run(...only));
    const { secrets, configurations } = listOwn(cut.project);
    expect(secrets.map(({ id }) => id)).toEqual([cut.old, configurations[0]?.secret_id]);
    await expectRotated(cut);
  });

  const answers = ["drop-before", "drop-after", "500", "500-after", "cut", "malformed body=<html>", "403"];
  const cases = steps.flatMap((step) =>
    answers.flatMap((answer) => [
      `${step} ${answer}`,
      `${step} ${answer.replace(/^\S+/, "$& times=always")}`,
    ]),
  );
  const unread = "GET /v1/llm-configurations 500 times=always skip=1";
  const everyRun = cases.filter((fault) => /drop-\w+ times=always/.test(fault)).concat(unread);
  it.each(isLong ? cases : everyRun)("is completed by the next apply after %s", async (fault) => {
    const world = await start();
    world.project.emulator.addFault(fault);
    const { stdout } = await world.run("apply", "--auto-approve");
    if (/^DELETE.*drop-before.*always/.test(fault))
      expect(stdout).toEqual(matchText("was not deleted. DELETE /v1/secrets/"));
    // The configuration never refers to a deleted secret.
    const { secrets, configurations } = listOwn(world.project);
    expect(secrets.map(({ id }) => id)).toContain(configurations[0]?.secret_id);
    world.project.emulator.clearFaults();
    await expectRotated(world);
  });

  const kills = steps.flatMap((step) => (["before", "after"] as const).map((when) => [when, step] as const));
  it.each(isLong ? kills : kills.slice(1, 3))(
    "is completed by the next apply after a kill %s %s",
    async (when, step) => {
      const world = await start();
      const [method = "", path = ""] = step.split(" ");
      await applyUntilKilled(world.project, { method, path }, when, { KEY: "new" });
      await expectRotated(world);
    },
  );

  it("sends the newest value when apply finds a secret left by an interrupted create", async () => {
    const { project, run } = await start();
    await applyUntilKilled(project, { method: "POST", path: "/v1/secrets" }, "after", { KEY: "between" });
    await expectSuccess(run("apply", "--auto-approve"));
    const { secrets, configurations } = listOwn(project);
    expect(secrets.map(({ id }) => project.emulator.secretValue(id))).toEqual(["new"]);
    expect(configurations).toMatchObject([{ secret_id: secrets[0]?.id }]);
    expect(await run("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  });
});

describe("on_rotation: delete_old", () => {
  it("deletes secrets from earlier rotations once set", async () => {
    const world = await start(manifest.replace(", on_rotation: delete_old", ""));
    expect(await world.run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(listOwn(world.project).secrets).toHaveLength(2);
    await world.project.write("avatarops.yaml", manifest);
    await expectRotated(world);
  });

  it("does not delete protected secrets", async () => {
    const world = await start(manifest.replace("delete_old", "delete_old, protect: true"));
    expect(await world.run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    expect(await world.run("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
    expect(listOwn(world.project).secrets).toHaveLength(2);
  });

  it("keeps superseded secrets that another declaration uses or that differ from their record", async () => {
    const kept =
      "  kept: { secret_name: Kept, secret_type: LLM_API_KEY, secret_value: !env KEY, protect: true }\n";
    const { project, run } = await start(manifest.replace("llm_conf", `${kept}llm_conf`));
    const alike = { ...theirs.secrets[0], id: "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120004", secret_name: "LLM" };
    project.emulator.world.secrets.push(alike as (typeof theirs.secrets)[number]);
    const ours = listOwn(project).secrets.find(({ secret_name: name }) => name === "Kept")?.id;
    const path = ".avatarops/state.json";
    const state = JSON.parse(await project.read(path));
    const since = at;
    state.objects["secret.llm"].superseded = [
      { id: ours, label: "Kept", since, applied: { secret_name: "Kept" } },
      { id: theirKey, label: "LLM", since, applied: { secret_name: "LLM" } },
      { id: alike.id, label: "LLM", since },
    ];
    await project.write(path, JSON.stringify(state));
    const ran = await run("apply", "--auto-approve", "--target", "secret.kept");
    expect(ran).toMatchObject({ exit: 0 });
    const output = (await run("apply", "--auto-approve")).stdout.replace(/\s+/g, " ");
    expect(output).toContain(`${ours} is not deleted, because secret.kept now manages it.`);
    expect(output).toContain(`the live object, named "Theirs"`);
    const left = listOwn(project).secrets.map(({ id }) => id);
    expect(left).toEqual(expect.arrayContaining([ours, alike.id]));
  });
});

describe("missing secret", () => {
  const secret = (more = "") =>
    `service: { profile: liveavatar }\nsecrets:\n  llm: { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY${more} }\n`;

  async function startSecret() {
    const project = await startProject({
      ...{ world: createEmptyDataset(), emulator: { profile: "liveavatar" } },
      files: { "avatarops.yaml": secret() },
    });
    const run = (KEY: string, ...argv: string[]) => project.avataropsWith({ environment: { KEY } }, ...argv);
    const apply = async (value: string) => {
      await expectSuccess(run(value, "apply", "--auto-approve"));
      expect(await run(value, "plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
    };
    const { emulator } = project;
    const values = () => emulator.world.secrets.map(({ id }) => emulator.secretValue(id));
    return { project, run, apply, values };
  }

  it("is recreated instead of adopting an older secret with the same name", async () => {
    const { project, run, apply, values } = await startSecret();
    await apply("one");
    await apply("two");
    project.emulator.world.secrets.pop();
    expect(values()).toEqual(["one"]);
    expect((await run("two", "plan")).stdout).toContain("create    secret.llm");
    await apply("two");
    expect(values()).toEqual(["one", "two"]);
  });
});

describe("rollback", () => {
  it("restores the configuration but keeps its rotated secret", async () => {
    const { project, run } = await start();
    await project.write("avatarops.yaml", manifest.replace("gpt-4o", "gpt-5"));
    expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
    await expectSuccess(run("rollback", "--to", "1", "--auto-approve"));
    await project.write("avatarops.yaml", manifest);
    const { secrets, configurations } = listOwn(project);
    expect(configurations).toMatchObject([{ model_name: "gpt-4o", secret_id: secrets[0]?.id }]);
    expect(await run("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  });
});
