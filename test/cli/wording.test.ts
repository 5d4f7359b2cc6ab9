import { describe, expect, test } from "vitest";
import { type EmulatorOptions, generateDataset } from "../../src/emulator/index.js";
import { pickWorstExitCode } from "../../src/entrypoints/cli/exit-code.js";
import { createClockFormat, describeDay } from "../../src/output/render/session-facts.js";
import { matchText, startAndApply, startProject } from "./hosting.js";

const formatContexts = (...names: readonly string[]) =>
  `contexts:\n${names.map((name) => `  ${name}: { name: ${name}, prompt: Be kind. }\n`).join("")}`;

test("suggests a declared address if render is given an unknown one", async () => {
  const project = await startProject({ files: { "avatarops.yaml": formatContexts("support") } });
  await project.expectRefused(["render", "context.suport"], "Did you mean context.support?");
});

test("accepts days and weeks in --lock-timeout", async () => {
  const project = await startProject({ files: { "avatarops.yaml": formatContexts("support") } });
  for (const duration of ["1d", "2w"]) await project.expectDone("apply", "-y", "--lock-timeout", duration);
  expect(await project.avatarops("apply", "-y", "--lock-timeout", "1y")).toMatchObject({ exit: 1 });
});

test("prints a space between the action and the address in import --dry-run", async () => {
  const project = await startProject({
    files: { "avatarops.yaml": "contexts: {}\n" },
    world: generateDataset({ contexts: 1 }),
  });
  const { stdout } = await project.avatarops("import", "--write", "--all", "--dry-run");
  expect(stdout).toMatch(/would import +context\./);
});

test("lists later objects that a rollback keeps", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": formatContexts("a") } });
  await project.write("avatarops.yaml", formatContexts("a", "b", "c"));
  await project.expectDone("apply", "-y");
  const { stdout } = await project.expectDone("rollback", "--to", "1", "--dry-run");
  expect(stdout).toEqual(matchText("context.b, context.c did not exist at serial 1 and stay unchanged"));
});

test("returns exit code 7 if one of several projects was not approved", () => {
  expect([pickWorstExitCode([0, 7]), pickWorstExitCode([7, 2, 3]), pickWorstExitCode([7, 1])]).toEqual([
    7, 7, 1,
  ]);
});

test("formats dates with three-letter month names", () => {
  expect(describeDay("2026-09-29")).toBe("Tue 29 Sep 2026");
  expect(createClockFormat("UTC")("2026-09-29T00:05:00Z")).toBe("29 Sep 2026, 00:05");
});

test("accepts a second question mark in an emulator fault as part of the query", async () => {
  const project = await startAndApply({ files: { "avatarops.yaml": formatContexts("a") } });
  project.emulator.addFault("GET /v1/contexts?page=a?b 500 times=always");
  // If the query ended at the second question mark, the fault would also match `page=a`.
  const ask = (page: string) =>
    fetch(`${project.emulator.url}/v1/contexts?page=${page}`, { headers: { "x-api-key": "test-key" } });
  expect((await ask("a?b")).status).toBe(500);
  expect((await ask("a")).status).not.toBe(500);
});

describe("plan error", () => {
  const voices = `service: { profile: liveavatar }
voices: { narrator: { id: !stock_voice Nobody, name: Narrator } }
`;
  const liveAvatar: EmulatorOptions = { profile: "liveavatar" };
  const partial = "templates: [a.md]\npartials: parts\ncontexts: { a: { name: A, prompt: !file a.md } }\n";
  const included = "include: [contexts/*.md]\n";
  test.each<[what: string, files: Record<string, string>, ...causes: string[]]>([
    ["a variable in braces", { "avatarops.yaml": "contexts: { a: { name: !env ${K} } }\n" }, "`!env KEY`"],
    [
      "a file name that is not a valid object name",
      { "avatarops.yaml": included, "contexts/Gr\u00fc\u00dfe an alle.md": "---\nname: A\n---\nHi.\n" },
      "rename the file",
    ],
    [
      "a README in an included folder",
      { "avatarops.yaml": included, "contexts/README.md": "# About\n" },
      "add it to front matter at the start of the file",
    ],
    [
      "a partial that does not exist",
      { "avatarops.yaml": partial, "a.md": "Hi {{> nope}}.\n", "parts/x.md": "x\n" },
      "partials are files in parts/",
    ],
    [
      "deep nesting in braces",
      { "avatarops.yaml": `contexts: ${"[".repeat(20_000)}\n` },
      "nested too deeply",
    ],
    ["an unknown stock name", { "avatarops.yaml": voices }, "and 2 more"],
    [
      "a replacement character",
      { "avatarops.yaml": formatContexts("support").replace("Be kind", "Be \ufffdind") },
      "U+FFFD",
      "type the character again",
    ],
  ])("names its cause for %s", async (_, files, ...causes) => {
    const project = await startProject({ files, emulator: liveAvatar });
    const { stdout, stderr } = await project.avatarops("plan");
    for (const part of causes) expect(stdout + stderr).toEqual(matchText(part));
  });

  test("names its cause if the server of an https URL does not use TLS", async () => {
    const project = await startProject({ files: { "avatarops.yaml": formatContexts("support") } });
    const secure = project.emulator.url.replace("http:", "https:");
    const { exit, stderr } = await project.avatarops("plan", "--base-url", secure);
    expect([exit, stderr]).toEqual([
      1,
      matchText("does not use TLS. Check whether base_url needs http:// or another port."),
    ]);
    expect(stderr).not.toContain("NODE_EXTRA_CA_CERTS");
  });
});

test.each(["yes", "Off", "n", "12:30:45", "2024-01-01"])(
  "quotes a pulled %s because YAML 1.1 reads it as another type",
  async (text) => {
    const project = await startAndApply({ files: { "avatarops.yaml": formatContexts("a") } });
    project.emulator.editContext("a", { prompt: text });
    await project.expectDone("pull");
    expect(await project.read("avatarops.yaml")).toContain(`prompt: "${text}"`);
    await project.expectNothingToDo();
  },
);
