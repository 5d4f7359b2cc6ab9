/**
 * Tests rotations, where the source has a newer value than the account. Drift reports a rotation, and apply can send it
 * without other changes.
 */
import { describe, expect, test } from "vitest";
import { matchText, type Project, startProject } from "../cli/hosting.js";
import { commitAll, git } from "../git/repositories.js";
import { followFor, startTeam } from "../sync/team.js";

const formatSecret = (name: string, source: string, more = "") =>
  `  ${name}: { secret_name: ${name}, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source}${more} }\n`;
const desk = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";
const keys = `${desk}secrets:\n${formatSecret("llm", "!env LLM_API_KEY")}${formatSecret("tts", "!env TTS_API_KEY")}`;
const rotated = { environment: { LLM_API_KEY: "two" } };

const startProjectWith = (manifest: string, files = {}) =>
  startProject({
    files: { "avatarops.yaml": manifest, ...files },
    environment: { LLM_API_KEY: "one", TTS_API_KEY: "one", PATH: process.env.PATH ?? "" },
  });

function listSentValues({ emulator }: Project): string[] {
  const { world, secretValue } = emulator;
  return world.secrets.map(({ secret_name, id }) => `${secret_name} ${secretValue(id)}`).toSorted();
}

describe("drift", () => {
  test("exits with 2 and names the secret until a rotated value is sent", async () => {
    const project = await startProjectWith(keys);
    await project.avatarops("apply", "-y");
    expect(await project.avatarops("drift")).toMatchObject({ exit: 0 });
    const text = await project.avataropsWith(rotated, "drift");
    expect(text).toMatchObject({ exit: 2, stdout: matchText("secret.llm was rotated at its source") });
    expect(text.stdout).toContain("No drift");
    expect(text.stdout).toEqual(matchText("To send nothing else: `avatarops apply --only-rotations`"));
    const json = await project.avataropsWith(rotated, "drift", "--format", "json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      drifted: false,
      rotation_pending: [{ address: "secret.llm" }],
      secrets_unverified: [],
    });
    const markdown = await project.avataropsWith(rotated, "drift", "--format", "markdown");
    expect(markdown.stdout).toEqual(matchText("was rotated at its source, and the new value was not sent"));
    const other = await project.avataropsWith(rotated, "drift", "--target", "secret.tts");
    expect(other).toMatchObject({ exit: 0 });
    expect(text.stdout + json.stdout + markdown.stdout).not.toContain("two");
    expect(listSentValues(project)).toEqual(["llm one", "tts one"]);
  });

  test("exits with 0 and lists secrets whose current value cannot be read", async () => {
    const project = await startProjectWith(keys);
    await project.avatarops("apply", "-y");
    const unset = { environment: { TTS_API_KEY: undefined } };
    const { exit, stdout } = await project.avataropsWith(unset, "drift");
    expect([exit, stdout]).toEqual([0, matchText("secret.tts: It is unknown whether")]);
    expect(stdout).toEqual(matchText("environment variable TTS_API_KEY is not set"));
  });

  test("does not count changes in the files as rotations", async () => {
    const version = (n: number) => formatSecret("llm", "!env LLM_API_KEY", `, secret_value_version: ${n}`);
    const project = await startProjectWith(
      `secrets:\n${version(1)}${formatSecret("tts", "!env TTS_API_KEY")}`,
    );
    await project.avatarops("apply", "-y");
    const more = `secrets:\n${version(2)}${formatSecret("tts", "!env LLM_API_KEY")}${formatSecret("new", "!env LLM_API_KEY")}`;
    await project.write("avatarops.yaml", more);
    expect(await project.avatarops("drift")).toMatchObject({ exit: 0 });
    const only = await project.avatarops("apply", "--only-rotations", "-y");
    expect(only).toMatchObject({ exit: 0, stderr: matchText("3 other changes are left for another apply") });
    expect(listSentValues(project)).toHaveLength(2);
  });
});

describe("apply --only-rotations", () => {
  test("skips a secret value that changed through a file or script in the repository", async () => {
    const script = (key: string) => `#!/bin/sh\necho ${key}\n`;
    const sources = `${formatSecret("file", "!file key.txt")}${formatSecret("script", "!exec [sh, key.sh]")}${formatSecret("mounted", "!file mounted.txt")}`;
    const project = await startProjectWith(`secrets:\n${sources}`, {
      ...{ "key.txt": "one", "key.sh": script("one"), "mounted.txt": "one", ".gitignore": "mounted.txt\n" },
    });
    git(project.folder, "init", "--quiet");
    commitAll(project.folder);
    expect(await project.avatarops("apply", "-y")).toMatchObject({ exit: 0 });
    for (const [file, text] of [
      ["key.txt", "two"],
      ["key.sh", script("two")],
      ["mounted.txt", "two"],
    ] as const)
      await project.write(file, text);
    const only = await project.avatarops("apply", "--only-rotations", "-y");
    expect(only).toMatchObject({
      exit: 0,
      stderr: matchText(
        "--only-rotations does not send values from files in the repository (secret.file from key.txt, secret.script from key.sh)",
      ),
    });
    expect(listSentValues(project)).toEqual(["file one", "mounted one", "mounted two", "script one"]);
  });

  test.each([
    ["!exec [bash, -c, 'cat key.txt']", "key.txt", "KEY"],
    ["!exec [bash, -c, '. \"$PWD/lib/key.sh\"']", "lib/key.sh", "echo KEY"],
    ["!exec [bash, -c, 'cd lib; cat k*']", "lib/key.txt", "KEY"],
    ["!exec [env, FILE=key.txt, bash, -c, 'cat $FILE']", "key.txt", "KEY"],
    ["!exec [node, --require=./key.cjs, -e, '']", "key.cjs", "console.log('KEY')"],
    ["!exec [node, lib]", "lib/index.js", "console.log('KEY')"],
    ["!exec [npm, run, --silent, key]", "package.json", '{ "scripts": { "key": "echo KEY" } }'],
  ])("skips a secret value that a commit changed through %s", async (source, file, text) => {
    const write = (key: string) => ({ [file]: text.replace("KEY", key) });
    const project = await startProjectWith(`secrets:\n${formatSecret("llm", source)}`, write("one"));
    git(project.folder, "init", "--quiet", "--initial-branch=main");
    commitAll(project.folder);
    await project.expectDone("apply", "-y");
    await project.write(file, write("two")[file] ?? "");
    commitAll(project.folder);
    const left = await project.avatarops("apply", "--only-rotations", "-y");
    expect(left, left.stderr).toMatchObject({ exit: 0, stderr: matchText("change with a commit") });
    expect(listSentValues(project)).toEqual(["llm one"]);
  });

  test("sends the new output of a command that refers to no file in the repository", async () => {
    const source = "!exec [printenv, LLM_API_KEY]";
    const project = await startProjectWith(`secrets:\n${formatSecret("llm", source)}`, {
      "printenv.d/LLM": "",
      "key/a": "",
    });
    git(project.folder, "init", "--quiet", "--initial-branch=main");
    commitAll(project.folder);
    await project.expectDone("apply", "-y");
    await project.avataropsWith(rotated, "apply", "--only-rotations", "-y");
    expect(listSentValues(project)).toEqual(["llm one", "llm two"]);
  });

  test("sends only rotated values and lists the remaining changes", async () => {
    const project = await startProjectWith(keys);
    await project.avatarops("apply", "-y");
    const next = `${keys.replace("kind", "brief")}${formatSecret("new", "!env LLM_API_KEY")}`;
    await project.write("avatarops.yaml", next);
    const only = await project.avataropsWith(rotated, "apply", "--only-rotations", "-y");
    expect(only).toMatchObject({ exit: 0 });
    expect(only.stderr + only.stdout).toEqual(
      matchText("2 other changes are left for another apply (context.desk, secret.new)"),
    );
    expect(listSentValues(project)).toEqual(["llm one", "llm two", "tts one"]);
    expect(project.emulator.world.contexts[0]?.prompt).toBe("Be kind.");
    expect(await project.avataropsWith(rotated, "drift")).toMatchObject({ exit: 0 });
    // The other changes must not be recorded as applied.
    expect(await project.avataropsWith(rotated, "apply", "-y")).toMatchObject({ exit: 0 });
    expect(listSentValues(project)).toEqual(["llm one", "llm two", "new two", "tts one"]);
    expect(project.emulator.world.contexts[0]?.prompt).toBe("Be brief.");
  });

  test("skips secrets whose declaration also changed", async () => {
    const project = await startProjectWith(keys);
    await project.avatarops("apply", "-y");
    const writes = () => project.emulator.requests.filter(({ method }) => method !== "GET").length;
    const before = writes();
    expect(await project.avatarops("apply", "--only-rotations", "-y")).toMatchObject({ exit: 0 });
    await project.write("avatarops.yaml", keys.replace("secret_name: llm", "secret_name: renamed"));
    const left = await project.avataropsWith(rotated, "apply", "--only-rotations", "-y", "--format", "json");
    expect(left).toMatchObject({
      exit: 0,
      stderr: matchText("1 other change is left for another apply (secret.llm)"),
    });
    expect(JSON.parse(left.stdout)).toMatchObject({ exit: "done", results: [] });
    expect(writes()).toBe(before);
  });

  test("fails if a value cannot be read", async () => {
    const project = await startProjectWith(keys);
    await project.avatarops("apply", "-y");
    const unset = { environment: { LLM_API_KEY: "two", TTS_API_KEY: undefined } };
    const ran = await project.avataropsWith(unset, "apply", "--only-rotations", "-y", "--format", "json");
    expect(ran.exit).toBe(3);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      results: [
        { address: "secret.llm", status: "applied" },
        { address: "secret.tts", status: "failed", problem: { code: "unread-value" } },
      ],
    });
  });

  test("requires the usual confirmation and gates, and rejects a saved or reviewed plan", async () => {
    const project = await startProjectWith(keys);
    await project.avatarops("apply", "-y");
    const unasked = await project.avataropsWith(rotated, "apply", "--only-rotations", "--format", "json");
    expect(unasked).toMatchObject({ exit: 7 });
    // The source has the old value again, so no changes remain.
    const { next } = JSON.parse(unasked.stdout);
    expect(await project.avatarops(...next.command.slice(1))).toMatchObject({ exit: 0 });
    await project.write("avatarops.yaml", `${keys}thresholds: { max_percent: 10, min_objects: 1 }\n`);
    const refused = await project.avataropsWith(rotated, "apply", "--only-rotations", "-y");
    expect(refused).toMatchObject({
      exit: 7,
      stderr: matchText("To apply anyway: `avatarops apply --only-rotations -y --allow threshold`."),
    });
    expect(listSentValues(project)).toHaveLength(2);
    for (const other of [["plan.json"], ["--reviewed"]])
      await project.expectRefused(
        ["apply", "--only-rotations", ...other],
        "--only-rotations makes its own plan",
      );
  });
});

test("reports unsent rotations and unverifiable secrets in the metrics of each sync cycle", async () => {
  const refusing = `${keys}thresholds: { max_percent: 10, min_objects: 1 }\n`;
  const environment = { LLM_API_KEY: "one", TTS_API_KEY: "one" };
  const team = await startTeam(refusing, { environment });
  const metrics: string[] = [];
  const unset = { environment: { TTS_API_KEY: undefined } };
  const settings = [{}, rotated, unset];
  const cycles: unknown[] = [];
  for (const setting of settings) {
    const { log } = await followFor(
      { ...team, follow: (given, ...argv) => team.follow({ ...given, ...setting }, ...argv) },
      setting === unset ? 2 : 1,
      async (_, follower) => {
        const url = follower.log.find(({ listens_on }) => listens_on)?.listens_on;
        metrics.push(await (await fetch(`${url}/metrics`)).text());
      },
    );
    cycles.push(...log.filter(({ msg }) => msg === "cycle"));
  }
  const values = (name: string) =>
    metrics.map((text) => new RegExp(`^avatarops_sync_${name} (\\d+)$`, "m").exec(text)?.[1]);
  expect([values("rotation_pending"), values("secrets_unverified")]).toEqual([
    ["0", "1", "0", "0"],
    ["0", "0", "1", "1"],
  ]);
  const unread = { code: "unread-value", address: "secret.tts" };
  expect(cycles.slice(2)).toMatchObject([{ outcome: "partly", problems: [unread] }, { outcome: "partly" }]);
});
