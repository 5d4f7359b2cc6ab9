/** Tests a declared secret with the name of a live secret. Their values cannot be compared. */
import { describe, expect, it } from "vitest";
import { createEmptyDataset } from "../../src/emulator/index.js";
import { expectSuccess, matchText, startProject } from "../cli/hosting.js";

const formatSecret = (more = "", key = "llm") =>
  `  ${key}: { secret_name: LLM, secret_type: LLM_API_KEY, secret_value: !env KEY${more} }\n`;
const formatManifest = (...secrets: string[]) =>
  `service: { profile: liveavatar }\nsecrets:\n${secrets.join("")}`;
const theirs = "0b1f0c1e-52b7-4a1b-9c2d-5ee0fe120001";
const older = {
  id: theirs,
  secret_name: "LLM",
  secret_type: "LLM_API_KEY",
  created_at: "2026-01-01T00:00:00.000Z",
};

/** Starts a project that declares a secret, and an account with an older secret of the same name and type. */
async function start() {
  const project = await startProject({
    ...{ world: { ...createEmptyDataset(), secrets: [older] }, emulator: { profile: "liveavatar" } },
    files: { "avatarops.yaml": formatManifest(formatSecret()) },
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

/** Removes line breaks, even those before a full stop. */
const joinLines = (text: string) => text.replace(/\s+/g, " ").replace(/` \./g, "`.");
const named = `The account has another secret named "LLM" (${theirs}).`;
const listWaysOut = (first: string) =>
  `Manage it instead: ${first}\`avatarops import secret.llm ${theirs}\`. Delete it: \`avatarops prune ${theirs}\`.`;

describe("declared secret with the name and type of an existing secret", () => {
  it("is created with its value, and the existing secret is reported", async () => {
    const { project, run, apply, values } = await start();
    const planned = joinLines((await run("one", "plan")).stdout);
    expect(planned).toContain("create secret.llm");
    expect(planned).toContain(named);
    expect(planned).toContain(listWaysOut(""));
    const applied = await expectSuccess(run("one", "apply", "--auto-approve", "--quiet"));
    expect(joinLines(applied.stdout)).toContain(named);
    expect(joinLines(applied.stdout)).toContain(listWaysOut("`avatarops state forget secret.llm`, then "));
    expect(values()).toEqual([undefined, "one"]);
    await apply("two");
    expect(values()).toEqual([undefined, "one", "two"]);
    await expectSuccess(project.avatarops("prune", theirs, "--auto-approve"));
    expect(values()).toEqual(["one", "two"]);
  });

  it("adopts the existing secret with `import`, and its value is sent after a version increase", async () => {
    const { project, run, apply, values } = await start();
    await expectSuccess(project.avatarops("import", "secret.llm", theirs));
    const unknown = await run("one", "apply", "--auto-approve");
    expect(unknown).toMatchObject({ exit: 3, stdout: matchText("declare `secret_value_version: 1`") });
    await project.write("avatarops.yaml", formatManifest(formatSecret(", secret_value_version: 1")));
    await apply("one");
    expect(values()).toEqual([undefined]);
    await project.write("avatarops.yaml", formatManifest(formatSecret(", secret_value_version: 2")));
    await apply("two");
    expect(values()).toEqual([undefined, "two"]);
  });

  it("is the only secret left after `prune`", async () => {
    const { project, apply, values } = await start();
    await expectSuccess(project.avatarops("prune", theirs, "--auto-approve"));
    await apply("one");
    expect(values()).toEqual(["one"]);
  });

  it("can adopt the existing secret once the created one is forgotten", async () => {
    const { project, run, apply } = await start();
    await apply("one");
    await expectSuccess(project.avatarops("state", "forget", "secret.llm"));
    await expectSuccess(project.avatarops("import", "secret.llm", theirs));
    expect((await run("one", "plan")).stdout).toContain(
      "Nothing to apply, but not all secrets could be compared",
    );
  });

  it("is not taken for the new secret of a rotation whose request was lost", async () => {
    const { project, run, apply, values } = await start();
    await apply("one");
    const { emulator } = project;
    await fetch(`${emulator.url}/v1/secrets`, {
      method: "POST",
      headers: { "x-api-key": "test-key", "content-type": "application/json" },
      body: JSON.stringify({ secret_name: "LLM", secret_type: "LLM_API_KEY", secret_value: "theirs" }),
    });
    emulator.addFault("POST /v1/secrets drop-before");
    expect(await run("two", "apply", "--auto-approve")).toMatchObject({ exit: 4 });
    await apply("two");
    expect(values()).toEqual([undefined, "one", "theirs", "two"]);
  });

  it("is created once for each of two declarations with the same name", async () => {
    const { project, run, values } = await start();
    await project.write("avatarops.yaml", formatManifest(formatSecret(), formatSecret("", "other")));
    await expectSuccess(run("one", "apply", "--auto-approve"));
    expect(values()).toEqual([undefined, "one", "one"]);
    expect(await run("one", "plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  });
});
