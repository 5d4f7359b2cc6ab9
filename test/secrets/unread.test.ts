/** Tests unreadable secret values in a plan, before the first write, and for objects applied earlier. */
import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { matchText, startProject } from "../cli/hosting.js";
import { startKeyring } from "./sources/keyring.js";

const formatSecret = (name: string, source: string) =>
  `  ${name}: { secret_name: ${name}, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} }\n`;
const desk = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";
const unset = { environment: { LLM_API_KEY: undefined as unknown as string } };

const startProjectWith = (manifest: string, files = {}) =>
  startProject({
    files: { "avatarops.yaml": manifest, ...files },
    environment: { LLM_API_KEY: "one", PATH: process.env.PATH ?? "" },
  });

describe("unreadable value of an applied secret", () => {
  const manifest = `${desk}secrets:\n${formatSecret("llm", "!env LLM_API_KEY")}`;

  test("fails an apply but does not block the other changes", async () => {
    const project = await startProjectWith(manifest);
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    const idle = await project.avataropsWith(unset, "apply", "-y");
    expect(idle).toMatchObject({ exit: 3, stdout: matchText("environment variable LLM_API_KEY is not set") });
    await project.write("avatarops.yaml", manifest.replace("Be kind.", "Be brief."));
    const more = await project.avataropsWith(unset, "apply", "-y", "--format", "json");
    expect(more.exit).toBe(3);
    expect(JSON.parse(more.stdout)).toMatchObject({
      exit: "partly",
      results: [
        { address: "context.desk", status: "applied" },
        { address: "secret.llm", action: "keep", status: "failed", problem: { code: "unread-value" } },
      ],
    });
    expect(project.emulator.world.contexts[0]?.prompt).toBe("Be brief.");
    // Plan jobs often have no access to the value, so a plan must not fail.
    expect(await project.avataropsWith(unset, "plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
  });

  test.each([
    ["an unset variable", "!env LLM_API_KEY", 0, "environment variable LLM_API_KEY is not set"],
    ["a failed command", "!exec [cat, key.txt]", 3, "The command cat … failed with exit code 1"],
  ])(
    "is reported by diff, which exits with 3 only if the source itself failed: %s",
    async (_, source, exit, why) => {
      const files = { "key.txt": "one\n" };
      const project = await startProjectWith(`${desk}secrets:\n${formatSecret("llm", source)}`, files);
      await project.expectDone("apply", "-y");
      await rm(path.join(project.folder, "key.txt"));
      expect(await project.avataropsWith(unset, "diff")).toMatchObject({ exit, stderr: matchText(why) });
    },
  );

  test("fails a plan if the file with the value does not exist", async () => {
    const project = await startProjectWith(`secrets:\n${formatSecret("llm", "!file llm.txt")}`, {
      "llm.txt": "one",
    });
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    await project.write("avatarops.yaml", `secrets:\n${formatSecret("llm", "!file gone.txt")}`);
    expect(await project.avatarops("plan")).toMatchObject({ exit: 1, stdout: matchText("does not exist") });
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 1 });
    expect(project.emulator.world.secrets).toHaveLength(1);
  });
});

describe("apply", () => {
  test("reads the values of all secrets to send before the first write", async () => {
    const broken = `${desk}secrets:\n${formatSecret("a", "!env LLM_API_KEY")}${formatSecret("b", "!env NOT_SET")}${formatSecret("c", "!file none.txt")}`;
    const project = await startProjectWith(broken);
    const planned = await project.avatarops("plan");
    expect(planned).toMatchObject({ exit: 1, stdout: matchText("The file none.txt does not exist") });
    const { stdout } = await project.avatarops("plan", "--target", "secret.b");
    expect(stdout).toEqual(matchText("environment variable NOT_SET is not set"));
    const refused = await project.avatarops("apply", "-y");
    expect(refused).toMatchObject({
      exit: 1,
      stdout: matchText("The environment variable NOT_SET is not set"),
    });
    expect(refused.stdout).toEqual(matchText("The file none.txt does not exist"));
    expect(refused.stdout).toEqual(matchText("a value for another change cannot be read"));
    expect(project.emulator.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(await project.avatarops("apply", "-y", "--target", "context.desk")).toMatchObject({ exit: 0 });
  });

  // test/secrets/sources/own.test.ts checks that each value is read once.
  test("reads the fingerprint key before the first write", async () => {
    const manifest = `fingerprint_key: !env NOT_SET\nsecrets:\n${formatSecret("a", "!env LLM_API_KEY")}`;
    const refused = await (await startProjectWith(manifest)).avatarops("apply", "-y");
    expect(refused).toMatchObject({ exit: 1, stdout: matchText("environment variable NOT_SET is not set") });
  });
});

test("sends a secret value with line breaks and prints a note about the line breaks", async () => {
  const project = await startProject({
    files: {
      "avatarops.yaml": `secrets:\n${formatSecret("one", "!env ONE")}${formatSecret("two", "!env TWO")}`,
    },
    environment: { ONE: "one\n", TWO: "one\ntwo\n" },
  });
  const { stdout } = await project.avatarops("apply", "-y", "--format", "json");
  const { results } = JSON.parse(stdout) as { results: { address: string; notes: string[] }[] };
  const noted = results.filter(({ notes }) =>
    notes.some((note) => note.includes("was sent with line breaks")),
  );
  expect(noted.map(({ address }) => address)).toEqual(["secret.two"]);
  expect(project.emulator.world.secrets).toHaveLength(2);
});

describe("move to another secret source", () => {
  test("produces the same plan digest even if values cannot be read", async () => {
    const vault = await startKeyring();
    onTestFinished(async () => vault.stop?.());
    const project = await startProject({
      files: {
        ...vault.files,
        "avatarops.yaml": `include: [keyring.ts]\nsecrets:\n${formatSecret("llm", "!env LLM_API_KEY")}`,
      },
      environment: { ...vault.environment, LLM_API_KEY: "one", PATH: process.env.PATH ?? "" },
    });
    for (const name of ["one", "two"]) await vault.put(name, `value ${name}`, project);
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    for (const name of ["one", "two"]) {
      const { yaml } = vault.written(name);
      await project.write("avatarops.yaml", `include: [keyring.ts]\nsecrets:\n${formatSecret("llm", yaml)}`);
      await vault.versions.refuseValues();
      const planned = await project.avatarops("plan", "--format", "json");
      expect(planned.exit).toBe(0);
      const { digest, changes } = JSON.parse(planned.stdout);
      expect(changes).toMatchObject([
        { action: "supersede", fields: [{ field: "secret_value", source: expect.any(String) }] },
      ]);
      await vault.versions.allowValues();
      expect(JSON.parse((await project.avatarops("plan", "--format", "json")).stdout).digest).toBe(digest);
      // A shortened digest is enough.
      expect(await project.avatarops("apply", "--digest", digest.slice(0, 20))).toMatchObject({ exit: 0 });
      await project.expectNothingToDo();
    }
    expect(project.emulator.world.secrets).toHaveLength(3);
  });

  test("plans no change if only the environment variable with the vault's address changes", async () => {
    const vault = await startKeyring();
    onTestFinished(async () => vault.stop?.());
    const manifest = `include: [keyring.ts]\nsecrets:\n${formatSecret("llm", "!keyring { name: one }")}`;
    const address = /address: "?(http[^",} ]+)/.exec(vault.written("one").yaml)?.[1] ?? "";
    const project = await startProject({
      files: { ...vault.files, "avatarops.yaml": manifest },
      environment: { ...vault.environment, KEYRING_ADDR: address },
    });
    await vault.put("one", "first", project);
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    const elsewhere = { environment: { KEYRING_ADDR: address.replace("127.0.0.1", "localhost") } };
    expect(await project.avataropsWith(elsewhere, "plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
  });
});
