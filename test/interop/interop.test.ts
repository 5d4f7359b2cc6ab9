// @module-tag clients
/** Runs third-party clients of the service against the emulator, unmodified except for the base URL. */
import { expect, onTestFinished, test } from "vitest";
import { type Emulator, generateDataset, sandboxAvatarId, startEmulator } from "../../src/emulator/index.js";
import { type Client, clients, type RunningClient, type Scenario, startClient } from "./clients.js";

const key = "key-of-the-clients";

for (const client of clients)
  test(`${client.name} starts and stops sessions in every supported mode`, {
    tags: client.isSmall ? "clients" : ["clients", "night"],
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
  const token = client.steps.includes("mint") ? undefined : await mintToken(emulator.url, asked);
  for (const step of client.steps) {
    emulator.requests.length = 0;
    const { error, mode } = await running.step({ ...asked, step, token });
    expect([step, scenario, error]).toEqual([step, scenario, undefined]);
    if (mode !== undefined) expect(mode).toBe(scenario.mode);
    expect(emulator.requests.map(({ status }) => status)).toEqual([step === "start" ? 201 : 200]);
    emulator.passTime(10_000);
  }
}

/** Requests a token, as a web page's server does. */
async function mintToken(url: string, asked: Scenario & Record<string, unknown>): Promise<string> {
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
