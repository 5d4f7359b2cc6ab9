/**
 * CI runners interpret lines of output as commands. Untrusted text in names, prompts, messages and files must not
 * produce such a line, in any format or width.
 */
import { once } from "node:events";
import { request } from "node:http";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { createEmptyDataset, type Emulator } from "../../src/emulator/index.js";
import { runIn, type Setting, startProject } from "../cli/hosting.js";

const hostile = [
  "::error file=a::one",
  "  ::SET-OUTPUT name=a::b",
  "\t::add-mask::a ##[group]b ##vso[task.setvariable variable=a]b ##teamcity[message text='a']",
  "and ::stop-commands::many words that are wrapped ::warning::where a line ends ::notice::or not",
  `${"x".repeat(300).replaceAll("xxx", "a::error::")} ###[section]`,
].join("\n");

const commands = /##\w*\[|^[^\S\r\n]*::[A-Za-z]/m;

function expectNoCommand({ stdout, stderr }: { stdout: string; stderr: string }): void {
  for (const text of [stdout, stderr]) expect(stripVTControlCharacters(text)).not.toMatch(commands);
}

const terminals: Setting[] = [
  { columns: 24 },
  { columns: 80, environment: { FORCE_COLOR: "1" } },
  { columns: 1_000 },
];

const formatManifest = (name: string) => `
contexts:
  desk: { name: ${JSON.stringify(name)}, prompt: Be kind. }
`;

async function start(name = hostile) {
  const project = await startProject({
    files: { "avatarops.yaml": formatManifest(name) },
    world: {
      ...createEmptyDataset(),
      sessions: [
        { id: "s-1", created_at: "2026-11-21T08:00:00Z", mode: hostile, end_reason: hostile } as never,
      ],
    },
  });
  const ran: { argv: string[]; stdout: string; stderr: string }[] = [];
  const run = async (...argv: string[]) => {
    for (const terminal of terminals) ran.push({ argv, ...(await project.avataropsWith(terminal, ...argv)) });
  };
  return { ...project, run, ran };
}

describe("output for a CI runner", () => {
  test("contains no runner command, whether printed by plan, apply, pull, state, sessions or export", async () => {
    const { emulator, run, ran, avatarops } = await start();
    for (const format of ["text", "json", "markdown"]) await run("plan", "--format", format);
    await run("apply", "--auto-approve");
    const [context] = emulator.world.contexts;
    if (!context) throw new Error("the apply made no context");
    emulator.editContext(context.id, {
      prompt: `Theirs.\n${hostile}`,
      links: [{ url: hostile, faq: hostile }],
    });
    for (const format of ["text", "json", "markdown"]) await run("plan", "--format", format);
    for (const format of ["text", "json"]) {
      await run("pull", "--dry-run", "--format", format);
      await run("state", "list", "--format", format);
      await run("state", "show", "context.desk", "--format", format);
      await run("sessions", "list", "--type", "historic", "--format", format);
    }
    expect((await avatarops("export", "elsewhere")).exit).toBe(0);
    for (const one of ran) expectNoCommand(one);
    expect(ran.filter(({ stdout }) => stdout.includes("‹U+003A›:")).length).toBeGreaterThan(10);
  });

  test("parses to the original value if it is escaped JSON", async () => {
    const { avatarops } = await start();
    const { stdout } = await avatarops("plan", "--format", "json");
    expect(stdout).toContain("\\u0023#[group]");
    expect(JSON.parse(stdout).changes[0].label).toBe(hostile);
  });

  test("contains no runner command from a service's error message", async () => {
    const { emulator, run, ran } = await start("Desk");
    const message = hostile.slice(0, 200);
    emulator.addFault({
      times: Infinity,
      match: { method: "POST" },
      do: { kind: "status", status: 400, body: { code: 400, message, data: null } },
    });
    for (const format of ["text", "json", "markdown"])
      await run("apply", "--auto-approve", "--format", format);
    for (const one of ran) expectNoCommand(one);
    expect(ran[0]?.stdout).toContain("SET-OUTPUT");
  });

  test("contains no runner command from an invalid file or command line", async () => {
    const { run, ran, write } = await start();
    await write("avatarops.yaml", `::error file=a::b\n::set-output: [ ##[group] ##vso[a] \n${hostile}`);
    for (const format of ["text", "json", "markdown"]) await run("validate", "--format", format);
    await run("plan", "--file", "##[group].yaml");
    await run("::error::", "##[group]");
    await run("state", "show", "::error::");
    for (const one of ran) expectNoCommand(one);
  });

  test("escapes runner commands in the request log of emulate", async () => {
    const { folder } = await start();
    let stop: ((signal: string) => void) | undefined;
    const ended = runIn(folder, ["emulate", "--port", "0"], {
      columns: 24,
      onStoppable: (how) => {
        stop = how;
      },
      onStdout: (text) => {
        const url = /AVATAROPS_BASE_URL=(\S+)/.exec(text)?.[1];
        if (url) void ask(url).finally(() => stop?.("SIGINT"));
      },
    });
    const { stdout, stderr } = await ended;
    expect(stderr).toContain("‹U+0023›#[group]");
    expectNoCommand({ stdout, stderr });
  });
});

/** Sends a request whose path is logged unchanged. `fetch` would normalize it. */
async function ask(url: Emulator["url"]): Promise<void> {
  for (const path of ["/v1/##[group]", "/##vso[a]", "::error::/v1/contexts"]) {
    const [answer] = await once(request(url, { path }).end(), "response");
    answer.resume();
  }
}
