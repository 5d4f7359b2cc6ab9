import { describe, expect, test } from "vitest";
import { commands } from "../../src/entrypoints/cli/commands.js";
import { matchText, newFolder, runIn, startProject } from "./hosting.js";

const groups = new Set(commands.flatMap(({ name }) => (name.includes(" ") ? [name.split(" ")[0]] : [])));

describe("help", () => {
  test.each(["", ...groups, ...commands.map(({ name }) => name)])(
    'prints the same help for "%s" through the flag and the command, within 80 columns',
    async (name) => {
      const folder = await newFolder();
      const words = name === "" ? [] : (name ?? "").split(" ");
      const shown = await runIn(folder, [...words, "--help"]);
      expect(shown).toMatchObject({ exit: 0, stderr: "" });
      expect(await runIn(folder, ["help", ...words])).toEqual(shown);
      expect(shown.stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    },
  );

  test("rejects an unknown command without running anything", async () => {
    expect(await runIn(await newFolder(), ["help", "state", "lst"])).toEqual({
      exit: 1,
      stdout: "",
      stderr: "error[usage] unknown command 'state lst'. Add --help to see the usage.\n",
    });
    expect(await runIn(await newFolder(), ["help", "generate", "schema", "extra"])).toMatchObject({
      exit: 1,
      stdout: "",
    });
  });

  test("groups the commands by purpose, with everyday commands first", async () => {
    const { stdout } = await runIn(await newFolder(), ["--help"], { columns: 200 });
    const titles = ["Start", "Every day", "Team", "Sessions", "Repair", "Tools"];
    const [, , ...shown] = stdout.split(/^(?=\w[\w ]*:$)/m).slice(0, -1);
    expect(shown.map((group) => group.split(":\n")[0])).toEqual(titles);
    const named = shown.map((group) => Array.from(group.matchAll(/^ {2}(\w+)/gm), ([, name]) => name));
    expect(named.slice(0, 2)).toEqual([
      ["init", "export"],
      ["validate", "plan", "apply", "pull", "status", "diff"],
    ]);
    const first = commands.map(({ name }) => name.split(" ")[0]);
    expect(named.flat()).toEqual([...new Set(first), "help"]);
  });

  test("is printed to stderr when no command is given", async () => {
    const folder = await newFolder();
    const { stdout } = await runIn(folder, ["--help"]);
    expect(await runIn(folder, [])).toEqual({ exit: 1, stdout: "", stderr: stdout });
  });
});

describe("invalid command line", () => {
  test.each([
    [["plan", "--quite"], "unknown option '--quite'. Did you mean --quiet?"],
    [["nonsense"], "unknown command 'nonsense'."],
    [["token"], "missing required argument 'PRESET'."],
    [["apply", "plan.json", "extra"], "too many arguments for 'apply'. Expected 1 argument but got 2."],
    [["aply"], "unknown command 'aply'. Did you mean apply?"],
    [
      ["plan", "--format", "yaml"],
      "option '--format <FORMAT>' argument 'yaml' is invalid. Allowed choices are text, json, markdown.",
    ],
    [
      ["plan", "--concurrency", "0"],
      "option '--concurrency <N>' argument '0' is invalid. It must be a whole number of at least 1.",
    ],
    [
      ["apply", "--lock-timeout", "soon"],
      "option '--lock-timeout <DURATION>' argument 'soon' is invalid. It must be a duration such as 30s, 5m or 500ms.",
    ],
    [["plan", "--target"], "option '--target <ADDRESS>' argument missing."],
  ])("is rejected with a one-sentence reason: %j", async (argv, message) => {
    const folder = await newFolder();
    const shown = await runIn(folder, argv, { columns: 200 });
    expect(shown).toEqual({
      exit: 1,
      stdout: "",
      stderr: `error[usage] ${message} Add --help to see the usage.\n`,
    });
  });

  test.each([
    [["plan", "extra", "--format", "json"]],
    [["plan", "--format=json", "--no-such"]],
    [["state", "mv", "--format", "json", "a", "b"]],
  ])("is reported as a JSON error if JSON is requested: %j", async (argv) => {
    const shown = await runIn(await newFolder(), argv);
    expect(shown).toMatchObject({ exit: 1, stderr: "" });
    expect(JSON.parse(shown.stdout)).toMatchObject({ format: "avatarops/error", version: 1, code: "usage" });
  });
});

describe("file diagnostics", () => {
  const files = { "shop/avatarops.yaml": "include: [none/*.md]\ncontexts: { a: { name: A, promt: Hi. } }\n" };

  test("show paths relative to the current folder, even if --file is in another folder", async () => {
    const project = await startProject({ files });
    const { stdout } = await project.avatarops("validate", "-f", "shop/avatarops.yaml");
    expect(stdout).toContain("shop/avatarops.yaml:2:27");
    const planned = await project.avatarops("plan", "-f", "shop/avatarops.yaml", "--format", "json");
    expect(JSON.parse(planned.stdout).diagnostics).toMatchObject([
      { code: "no-match", location: { file: "shop/avatarops.yaml", line: 1 } },
      { code: "unknown-field", location: { file: "shop/avatarops.yaml", line: 2 } },
    ]);
  });

  test("name the folder if it has no manifest, and recommend --file", async () => {
    const project = await startProject();
    const { stderr } = await project.avatarops("plan", "-f", "shop/avatarops.yaml");
    expect(stderr).toEqual(matchText(`there is no file avatarops.yaml in ${project.folder}/shop`));
    expect(stderr).toEqual(matchText("or choose a manifest with --file"));
  });

  test("include warnings unless --quiet is given", async () => {
    const warned = { "avatarops.yaml": "include: [none/*.md]\ncontexts: { a: { name: A, prompt: Hi. } }\n" };
    const project = await startProject({ files: warned });
    expect((await project.avatarops("plan")).stderr).toContain("warning[no-match]");
    expect(await project.avatarops("plan", "--quiet")).toMatchObject({ exit: 0, stderr: "" });
  });
});

test("wraps messages between words at the terminal's width", async () => {
  const { stderr } = await runIn(await newFolder(), ["init", "my-avatars"], { columns: 40 });
  expect(stderr).toEqual(matchText("For a tour without an account, run `avatarops help quickstart`."));
  expect(stderr.split("\n").filter((line) => line.length > 40)).toEqual([]);
});
