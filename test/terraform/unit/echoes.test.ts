import { describe, expect, test } from "vitest";
import type { Emulator } from "../../../src/emulator/index.js";
import { account, imported, type Kept, startRun, type Values } from "./driving.js";

/** What the service answers a create with is foreign: an id is taken from it, if it is one. */

const canary = "kanarie-47-Zx9-Qw-vogel";
const llm: Values = { secret_name: "llm", secret_type: "LLMPROVIDER_API_KEY", secret_value_wo: canary };
const desk: Values = { name: "Desk", prompt: "Be kind." };

function answerOnce(emulator: Emulator, data: unknown): void {
  const body = JSON.stringify({ code: 100, data, message: canary });
  emulator.addFault({ match: { method: "POST" }, do: { kind: "malformed", body } });
}

function posts({ requests }: Emulator): string[] {
  return requests.flatMap(({ method, path }) => (method === "POST" ? [path] : []));
}

describe.each<[string, unknown]>([
  ["is the value", canary],
  ["is the value in base64", Buffer.from(canary).toString("base64url")],
])("an id that %s", (_, id) => {
  test("is not kept: whether the secret was stored is for the user to find out", async () => {
    const emulator = await account();
    answerOnce(emulator, { id, secret_name: "llm" });
    const { kept, said } = await (await startRun(emulator)).apply("avatarops_secret", llm);
    expect(kept).toBeNull();
    expect(said).toMatchObject([{ severity: "error", summary: "Create outcome unknown" }]);
    expect(said[0]?.detail).toContain("terraform import avatarops_secret.NAME ID");
    expect(JSON.stringify(said)).not.toContain(String(id).slice(2));
    expect(posts(emulator)).toEqual(["/v1/secrets"]);
  });

  test("leaves the secret that was to be superseded in the state", async () => {
    const emulator = await account();
    const run = await startRun(emulator);
    const first = await run.apply("avatarops_secret", { ...llm, secret_value_wo: "another value" });
    answerOnce(emulator, { id, secret_name: "llm" });
    const { kept, said } = await run.apply("avatarops_secret", llm, first.kept as Kept);
    expect(kept?.state).toEqual(first.kept?.state);
    expect(said).toMatchObject([{ severity: "error", summary: "Create outcome unknown" }]);
  });
});

describe.each<[string, unknown]>([
  ["is missing", undefined],
  ["leads elsewhere", "../../v1/secrets"],
  ["is half a character", "\ud800"],
])("an id that %s", (_, id) => {
  test("is a wrong answer: a secret stays unknown", async () => {
    const emulator = await account();
    answerOnce(emulator, { id, secret_name: "llm" });
    const { kept, said } = await (await startRun(emulator)).apply("avatarops_secret", llm);
    expect(kept).toBeNull();
    expect(said).toMatchObject([{ severity: "error", summary: "Create outcome unknown" }]);
    expect(said[0]?.detail).toMatch(/at data\.id: it is (missing|not an id)/);
  });

  test("is a wrong answer: a context is looked up, and made once", async () => {
    const emulator = await account();
    answerOnce(emulator, { id, ...desk });
    const { kept, said } = await (await startRun(emulator)).apply("avatarops_context", desk);
    expect(said).toEqual([]);
    expect(kept?.state.id).toBe(emulator.world.contexts[0]?.id);
    expect(posts(emulator)).toEqual(["/v1/contexts"]);
  });

  if (typeof id === "string")
    test("in a state or a configuration is told, and not sent", async () => {
      const emulator = await account();
      const run = await startRun(emulator);
      const summary = "Invalid id";
      expect(await run.refresh("avatarops_context", imported(String(id)))).toMatchObject({
        said: [{ severity: "error", summary }],
      });
      expect(await run.read("avatarops_context", { id: String(id) })).toMatchObject({
        said: [{ severity: "error", summary }],
      });
      expect(emulator.requests.filter(({ path }) => path !== "/v1/contexts")).toEqual([]);
    });
});

test("a secret is imported by whatever the service calls it, a context by a UUID", async () => {
  const emulator = await account();
  const run = await startRun(emulator);
  expect(await run.import("avatarops_secret", "sec_01J-x")).toMatchObject({
    values: { id: "sec_01J-x" },
    said: [],
  });
  for (const [type, id] of [
    ["avatarops_secret", "../secrets"],
    ["avatarops_context", "ctx_1"],
  ] as const) {
    expect(await run.import(type, id)).toMatchObject({ values: null, said: [{ severity: "error" }] });
  }
});
