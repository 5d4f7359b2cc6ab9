/**
 * Checks that no encoding of a secret value or API key appears in output, project files or the request log, after all
 * commands and many failures. The values are canaries whose encodings all differ.
 */
import { describe, expect, it } from "vitest";
import { generateDataset, parseFault } from "../../src/emulator/index.js";
import { type CommandResult, type Project, type Setting, startProject } from "../cli/hosting.js";
import { runUnwrappedWith } from "./commands.js";
import { listEncodings } from "./encodings.js";
import { Traces } from "./traces.js";

const first = 'kanarie-47/Zx+9 "quoted" \\ %Qw~ümlaut-one-vogel';
const second = 'kanarie-48/Zx+9 "quoted" \\ %Qw~ümlaut-two-vogel';
const apiKey = "api/kanarie+49~Qw-vogel";
const canaries = { first, second, apiKey };

/** A project and everything its runs leave behind. */
class TracedProject {
  readonly project: Project;
  readonly #traces = new Traces();
  #runs = 0;

  constructor(project: Project) {
    this.project = project;
  }

  async run(setting: Setting, ...argv: string[]): Promise<CommandResult> {
    const ran = await runUnwrappedWith(this.project, setting, ...argv);
    const line = `${++this.#runs}: avatarops ${argv.join(" ")}`;
    this.#traces.keep(line, ran.stdout + ran.stderr);
    await this.keepFiles(`after ${line}`);
    return ran;
  }

  keepFiles(when: string): Promise<string[]> {
    return this.#traces.keepFiles(this.project.folder, when);
  }

  expectClean(): void {
    const { requests, world } = this.project.emulator;
    this.#traces.keep("the log of the service", JSON.stringify({ requests, world }));
    this.#traces.expectClean(canaries);
  }
}

const formatManifest = (source: string) => `
contexts:
  desk: { name: Desk, prompt: Be kind. }
avatars:
  host: { id: 10000000-0000-4000-8000-000000000000, name: Host }
voices:
  mara: { id: 20000000-0000-4000-8000-000000000001, name: Mara }
secrets:
  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} }
sessions:
  kiosk: { avatar: host, mode: FULL, persona: { voice: mara, context: desk, language: en } }
`;

const printing = { environment: { LLM_API_KEY: first, PATH: process.env.PATH } };
const rotated = { environment: { LLM_API_KEY: second, PATH: process.env.PATH } };

async function start(source = "!env LLM_API_KEY"): Promise<{ project: Project; traces: TracedProject }> {
  const project = await startProject({
    files: { "avatarops.yaml": formatManifest(source), "llm.secret": `${first}\n` },
    world: generateDataset({ avatars: 1, voices: 2, sessions: 3 }),
    emulator: { apiKey },
    environment: { AVATAROPS_API_KEY: apiKey },
  });
  return { project, traces: new TracedProject(project) };
}

it("detects each encoding of a canary at any position", () => {
  for (const value of Object.values(canaries)) {
    for (const before of ["", "a", "ab"]) {
      const inner = `${before}${value} and more`;
      const found = (text: string) => Object.values(listEncodings(value)).some((form) => text.includes(form));
      expect(found(Buffer.from(inner).toString("base64"))).toBe(true);
      expect(found(Buffer.from(inner).toString("base64url"))).toBe(true);
      expect(found(Buffer.from(inner).toString("hex"))).toBe(true);
      expect(found(encodeURIComponent(inner))).toBe(true);
    }
  }
});

it("keeps secret values and the API key out of all output and files", async () => {
  const { project, traces } = await start();
  const lines = [
    ["validate"],
    ["validate", "--format", "json"],
    ["plan"],
    ["plan", "--format", "json"],
    ["plan", "--format", "markdown"],
    ["plan", "--out", "plan.json"],
    ["apply"],
    ["apply", "plan.json"],
    ["apply", "--auto-approve", "--format", "json"],
    ["state", "list"],
    ["state", "show", "secret.llm", "--format", "json"],
    ["sessions", "list"],
    ["sessions", "list", "--type", "historic", "--format", "json"],
    ["token", "kiosk"],
    ["export", "elsewhere"],
    ["generate", "schema"],
    ["init", "fresh"],
  ];
  for (const argv of lines)
    expect(await traces.run(printing, ...argv)).toMatchObject({
      exit: argv[0] === "apply" && !argv[1] ? 7 : 0,
    });
  project.emulator.editContext("Desk", { prompt: "Theirs." });
  for (const argv of [["pull", "--dry-run"], ["pull"], ["plan", "--detailed-exitcode"]]) {
    expect(await traces.run(printing, ...argv)).toMatchObject({ exit: 0 });
  }
  for (const argv of [
    ["plan", "--out", "plan.json"],
    ["apply", "--auto-approve"],
    ["state", "show", "secret.llm"],
    ["plan", "--detailed-exitcode"],
  ]) {
    expect(await traces.run(rotated, ...argv)).toMatchObject({ exit: 0 });
  }
  const [old] = project.emulator.world.secrets;
  for (const argv of [
    ["state", "mv", "secret.llm", "secret.other"],
    ["state", "mv", "secret.other", "secret.llm"],
    ["state", "forget", "secret.llm"],
    ["import", "secret.llm", old?.id ?? ""],
    ["state", "unlock"],
  ]) {
    const ran = await traces.run(rotated, ...argv);
    expect(ran, argv.join(" ") + ran.stderr).toMatchObject({ exit: 0 });
  }
  expect(project.emulator.world.secrets.map(({ id }) => project.emulator.secretValue(id))).toEqual([
    first,
    second,
  ]);
  traces.expectClean();
});

it("keeps secret values out of the journal and the lock during a write", async () => {
  const { project, traces } = await start();
  let files: string[] = [];
  project.emulator.addFault({
    match: { method: "POST", path: "/v1/secrets" },
    do: {
      kind: "run",
      run: async () => {
        files = await traces.keepFiles("while the secret is sent");
      },
    },
  });
  expect(await traces.run(printing, "apply", "--auto-approve")).toMatchObject({ exit: 0 });
  expect(files.sort()).toEqual(
    expect.arrayContaining([".avatarops/state.json.journal", ".avatarops/state.json.lock", "avatarops.yaml"]),
  );
  traces.expectClean();
});

describe.each([
  ["secret value", first],
  ["API key", apiKey],
])("%s in an error response", (_what, canary) => {
  const echo = `Bad request: ${JSON.stringify({ secret_value: canary })}`;
  const page = `<html><head><title>Blocked: ${canary}</title></head><body>${echo}</body></html>`;
  const answers: readonly (readonly [how: string, status: number, body: unknown])[] = [
    ["is not printed if an error repeats the request", 400, { code: 4000, data: null, message: echo }],
    [
      "is not printed if an error list repeats it",
      400,
      { code: 4000, data: [{ message: echo }], message: "Bad request" },
    ],
    [
      "is not printed if error details repeat it",
      422,
      { detail: [{ loc: ["body", canary], msg: echo, type: canary }] },
    ],
    ["is not printed if a proxy's page repeats it", 502, page],
    ["is not printed if a proxy's 403 page repeats it", 403, page],
    ["is not printed if plain text repeats it", 400, echo],
    ["is not printed if text repeats it URL-encoded", 400, `Bad request: ${encodeURIComponent(canary)}`],
    [
      "is not printed if text repeats it in base64",
      400,
      `Bad request: ${Buffer.from(canary).toString("base64")}`,
    ],
  ];
  for (const [at, [how, status, body]] of answers.entries()) {
    it(how, async () => {
      const { project, traces } = await start();
      // Alternates formats, because all formats have the same content.
      const format = ["json", "text", "markdown"][at % 3] ?? "";
      project.emulator.addFault({ match: { path: "/v1/secrets" }, do: { kind: "status", status, body } });
      const ran = await traces.run(printing, "apply", "--auto-approve", "--format", format);
      expect(ran.exit).not.toBe(0);
      expect(ran.stdout).toContain("HTTP");
      if (canary === apiKey) {
        // Every request carries the key, so every response may repeat it.
        project.emulator.addFault({
          match: { method: "GET" },
          times: 99,
          do: { kind: "status", status, body },
        });
        expect((await traces.run(printing, "plan")).exit).toBe(1);
        expect((await traces.run(printing, "plan", "--format", "json")).exit).toBe(1);
      }
      traces.expectClean();
    });
  }
});

describe("secret value and API key", () => {
  for (const line of ["drop-before", "drop-after", "cut", `malformed body=<html>${apiKey}</html>`]) {
    it(`stay out of the output if the response is lost (${line.split(" ")[0]})`, async () => {
      const { project, traces } = await start();
      project.emulator.addFault(parseFault(`POST /v1/secrets ${line}`));
      expect((await traces.run(printing, "apply", "--auto-approve")).exit).toBe(4);
      expect((await traces.run(printing, "plan", "--format", "json")).exit).toBe(4);
      expect((await traces.run(printing, "state", "list")).exit).toBe(0);
      traces.expectClean();
    });
  }

  // For secrets in output and files, see test/secrets/sources.test.ts.
  it.each([
    ["behind the wrong tag", `!env '${first}'`],
    ["without a tag", `'${first}'`],
  ])("stay out of the output if the manifest contains the value %s", async (_, source) => {
    const { project } = await start(source);
    // Checks only the output, because the manifest belongs to the user.
    for (const argv of [["validate"], ["validate", "--format", "json"], ["apply", "--auto-approve"]]) {
      const { exit, stdout, stderr } = await runUnwrappedWith(project, {}, ...argv);
      expect(exit).toBe(1);
      for (const form of Object.values(listEncodings(first))) expect(stdout + stderr).not.toContain(form);
    }
  });
});
