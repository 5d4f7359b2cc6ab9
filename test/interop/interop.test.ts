/** Clients of the service that others wrote run against the emulator: their own code, with only its base address set. */
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { smallClients } from "../../scripts/interop.js";
import {
  type Emulator,
  generateDataset,
  type LoggedRequest,
  sandboxAvatarId,
  startEmulator,
} from "../../src/emulator/index.js";
import {
  type Client,
  clients,
  type RunningClient,
  type Scenario,
  startClient,
  versionOf,
} from "./clients.js";

const page = new URL("clients.md", import.meta.url);
const key = "key-of-the-clients";

/** What a client was seen to ask for in a step. */
interface Seen {
  readonly used: string;
  readonly requests: readonly string[];
  readonly scenarios: string[];
}

/** By client and step. */
const seen = new Map<string, Map<string, Seen>>();

for (const client of clients)
  test(`${client.name} starts and stops sessions in every way that it can`, {
    tags: smallClients.includes(client.name) ? "clients" : ["clients", "night"],
  }, async () => {
    const world = generateDataset({ avatars: 1, contexts: 2, sessions: 0 });
    const emulator = await startEmulator({ profile: "liveavatar", world, apiKey: key });
    onTestFinished(() => emulator.close());
    await using running = startClient(client, emulator.url, key);
    for (const scenario of client.scenarios) await runSteps(client, scenario, running, emulator);
    expect(emulator.world.sessions).toMatchObject(
      client.scenarios.map(({ mode, sandbox }) => ({
        ...{ mode, is_sandbox: sandbox, started_at: expect.any(String), ended_at: expect.any(String) },
        ...{ end_reason: expect.stringMatching(/^USER_/) },
        ...(client.steps.includes("keep alive") ? { kept_alive_at: expect.any(String) } : {}),
        credits_consumed: sandbox ? 0 : mode === "FULL" ? 2 : 1,
      })),
    );
  });

async function runSteps(client: Client, scenario: Scenario, running: RunningClient, emulator: Emulator) {
  const { avatars, contexts } = emulator.world;
  const asked = {
    ...{ ...scenario, avatar: scenario.sandbox ? sandboxAvatarId : avatars[0]?.id },
    ...{ context: contexts[0]?.id, contextName: contexts[0]?.name },
  };
  const token = client.steps.includes("mint") ? undefined : await mint(emulator.url, asked);
  for (const step of client.steps) {
    emulator.requests.length = 0;
    const { used = "", error, mode } = await running.step({ ...asked, step, token });
    expect([step, scenario, error]).toEqual([step, scenario, undefined]);
    if (mode !== undefined) expect(mode).toBe(scenario.mode);
    expect(emulator.requests.map(({ status }) => status)).toEqual([step === "start" ? 201 : 200]);
    record(client, step, scenario, used, emulator.requests);
    emulator.passTime(10_000);
  }
}

/** A token as the server of a page asks for it. */
async function mint(url: string, asked: Scenario & Record<string, unknown>): Promise<string> {
  const persona = asked.mode === "FULL" ? { avatar_persona: { context_id: asked.context } } : {};
  const response = await fetch(`${url}/v1/sessions/token`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({
      mode: asked.mode,
      avatar_id: asked.avatar,
      is_sandbox: asked.sandbox,
      ...persona,
    }),
  });
  return ((await response.json()) as { data: { session_token: string } }).data.session_token;
}

function record(
  client: Client,
  step: string,
  scenario: Scenario,
  used: string,
  log: readonly LoggedRequest[],
) {
  const steps = seen.get(client.name) ?? new Map<string, Seen>();
  const known = steps.get(step);
  const requests = [...new Set([...(known?.requests ?? []), ...log.map(shown)])];
  steps.set(step, { used, requests, scenarios: [...(known?.scenarios ?? []), said(scenario)] });
  seen.set(client.name, steps);
}

function shown({ method, path, body }: LoggedRequest): string {
  const fields = body === undefined ? [] : Object.keys(body as object);
  return `\`${method} ${path}\`${fields.length === 0 ? "" : ` with ${fields.map((name) => `\`${name}\``).join(", ")}`}`;
}

function said({ mode, sandbox }: Scenario): string {
  return `${mode}${sandbox ? " in the sandbox" : ""}`;
}

test("the page beside this file says what was seen", async () => {
  const written = readFileSync(page, { encoding: "utf8", flag: "a+" });
  const sections = clients.map(
    (client) =>
      section(client) ??
      sectionIn(written, client) ??
      expect.fail(`${title(client)} was never run: ${howToWrite}`),
  );
  await expect([introduction, ...sections].join("\n")).toMatchFileSnapshot(page.pathname);
});

const howToWrite = "`AVATAROPS_TEST_REAL=1 npx vitest run test/interop -u`";

const introduction = `# Clients of others

These clients were written by others, for the public service that speaks [the service's interface](../../docs/service.md) and offers more than it. They run against
\`avatarops emulate --profile liveavatar\` ([Emulator](../../docs/library.md#emulator)) as they are, with only their base address set: each starts
sessions in every way that it can, and stops them. \`test/interop\` does so, and writes this page from what the emulator was asked for:
${howToWrite}. Every run tries the first two of them, \`npm run test:real\` all.
`;

function section(client: Client): string | undefined {
  const steps = seen.get(client.name);
  if (steps === undefined || steps.size < client.steps.length) return undefined;
  const rows = Array.from(steps, ([step, { used, requests, scenarios }]) => {
    const called = used.startsWith("the ") ? used : `\`${used}\``;
    return `| ${step} | ${called} | ${requests.join("; ")} | ${scenarios.join(", ")} |`;
  });
  const head = "| step | its code | what it asks for | tried |\n| --- | --- | --- | --- |";
  return `${title(client)}\n\n${client.part}\n\n${head}\n${rows.join("\n")}\n`;
}

/** As it was written when the client was run. */
function sectionIn(written: string, client: Client): string | undefined {
  const [, ...found] = written.split(/^(?=## )/m);
  const section = found.find((text) => text.startsWith(`${title(client)}\n`));
  return section && `${section.trimEnd()}\n`;
}

function title(client: Client): string {
  return `## ${client.name} ${versionOf(client)}`;
}
