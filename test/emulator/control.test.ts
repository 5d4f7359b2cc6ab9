import { expect, test } from "vitest";
import { defaultBehaviour, generateDataset } from "../../src/emulator/index.js";
import { emulatorFor } from "./asking.js";

const done = { status: 200, body: { done: true } };
const refused = (error: unknown) => ({ status: 400, body: { error } });

test("faults can be added as a line or as JSON, listed and removed", async () => {
  await using service = await emulatorFor();
  const { ask } = service;
  expect(
    await ask("POST", "/_emulator/faults", JSON.stringify("POST /v1/contexts drop-after times=always")),
  ).toEqual(done);
  const asJson = { match: { path: "/v1/avatars", body: "x" }, skip: 1, do: { kind: "status", status: 503 } };
  expect(await ask("POST", "/_emulator/faults", asJson)).toEqual(done);
  expect(await ask("GET", "/_emulator/faults")).toEqual({
    status: 200,
    body: [
      { method: "POST", path: "/v1/contexts", action: "drop-after", skip: 0, times: "always" },
      { method: "*", path: "/v1/avatars", body: "x", action: "503", skip: 1, times: 1 },
    ],
  });
  await expect(ask("POST", "/v1/contexts", { name: "c" })).rejects.toThrow();
  expect(await ask("DELETE", "/_emulator/faults")).toEqual(done);
  expect(await ask("GET", "/_emulator")).toEqual({
    status: 200,
    body: { behaviour: defaultBehaviour, faults: [], requests: 1 },
  });
});

test.each([
  [{}, "fault: do: is missing"],
  [[], "fault: must be an object"],
  [{ do: { kind: "run" } }, "fault: do.kind: must be one of: status, drop, cut, malformed, delay, hang"],
  [{ do: { kind: "drop" } }, "fault: do.when: is missing"],
  [{ do: { kind: "cut", byte: 1 } }, "fault: do.byte: is unknown; use one of kind, bytes"],
  [{ times: 0, do: { kind: "cut" } }, "fault: times: must be an integer of at least 1"],
  [{ match: { method: 1 }, do: { kind: "cut" } }, "fault: match.method: must be a string"],
  ['"POST /v1/contexts explode"', expect.stringContaining('fault: "explode" is not an action')],
  ["{", "request: send a JSON body with Content-Type: application/json"],
])("the fault %j is refused with a reason", async (sent, error) => {
  await using service = await emulatorFor();
  expect(await service.ask("POST", "/_emulator/faults", sent)).toEqual(refused(error));
});

test("the behaviour can be read and changed", async () => {
  await using service = await emulatorFor();
  const { ask } = service;
  expect(await ask("GET", "/_emulator/behaviour")).toEqual({ status: 200, body: defaultBehaviour });
  await ask("POST", "/_emulator/behaviour", { successCode: 1000, promptCutAt: 3 });
  await ask("POST", "/_emulator/behaviour", '"links=merge"');
  const changed = { ...defaultBehaviour, successCode: 1000, promptCutAt: 3, links: "merge" };
  expect(service.emulator.behaviour).toEqual(changed);
  expect(await ask("GET", "/v1/contexts")).toMatchObject({ body: { code: 1000 } });
  expect(await ask("POST", "/_emulator/behaviour", { nulls: "yes" })).toEqual(
    refused("behaviour: nulls: must be true or false"),
  );
  expect(service.emulator.behaviour).toEqual(changed);
});

test("a colleague's edits can be made from another process", async () => {
  await using service = await emulatorFor({ world: generateDataset({ avatars: 1, voices: 1, contexts: 2 }) });
  const { world } = service.emulator;
  const edit = (body: unknown) => service.ask("POST", "/_emulator/edit", body);
  const edited = await edit({ do: "editContext", context: "Context 1", patch: { prompt: "edited" } });
  expect(edited).toMatchObject({ status: 200, body: { name: "Context 1", prompt: "edited" } });
  expect(await edit({ do: "removeContext", context: world.contexts[1]?.id })).toEqual(done);
  expect(await edit({ do: "renameAvatar", id: world.avatars[0]?.id, name: "Host" })).toEqual(done);
  expect(await edit({ do: "renameVoice", id: world.voices[0]?.id, name: "Narrator" })).toEqual(done);
  await edit({ do: "addContext", context: { name: "added", links: [{ url: "https://a.example" }] } });
  await edit({ do: "addSession", session: { source: "EMBED" } });
  await edit({ do: "addSession" });
  expect(world).toMatchObject({
    contexts: [{ prompt: "edited" }, { name: "added", links: [{ url: "https://a.example" }] }],
    avatars: [{ name: "Host" }],
    voices: [{ name: "Narrator" }],
    sessions: [{ source: "EMBED" }, { source: "API" }],
  });
  expect(await service.ask("GET", "/_emulator/world")).toEqual({ status: 200, body: world });
});

test.each([
  [
    { do: "dance" },
    "edit: do: must be one of: renameAvatar, editContext, addContext, removeContext, addSession, endSession, say, renameVoice",
  ],
  [{ do: "editContext", context: "nobody", patch: {} }, 'edit: there is no context "nobody"'],
  [
    { do: "editContext", context: "c", patch: { promt: "" } },
    "edit: patch.promt: is unknown; use one of name, prompt, opening_text, links",
  ],
  [{ do: "renameAvatar", id: "x" }, "edit: name: is missing"],
])("the edit %j is refused with a reason", async (sent, error) => {
  await using service = await emulatorFor();
  expect(await service.ask("POST", "/_emulator/edit", sent)).toEqual(refused(error));
});

test("edits are made in the account of the key", async () => {
  await using service = await emulatorFor({ apiKeys: { a: "first", b: "second" } });
  const sent = { do: "addContext", context: { name: "added" } };
  await service.ask("POST", "/_emulator/edit", sent, { "x-api-key": "b" });
  expect([service.emulator.world, service.emulator.account("second").world]).toMatchObject([
    { contexts: [] },
    { contexts: [{ name: "added" }] },
  ]);
});

test("the log can be read and emptied, and has no requests to the control endpoint", async () => {
  await using service = await emulatorFor();
  await service.ask("POST", "/v1/secrets", { secret_name: "n", secret_value: "sk-hidden" });
  const { body } = await service.ask("GET", "/_emulator/requests");
  expect(body).toMatchObject([{ method: "POST", path: "/v1/secrets", body: { secret_value: "(redacted)" } }]);
  expect(await service.ask("DELETE", "/_emulator/requests")).toEqual(done);
  expect(service.emulator.requests).toEqual([]);
});

test("the control endpoint requires a key, a known path and a JSON body", async () => {
  await using service = await emulatorFor();
  const { ask } = service;
  expect(await ask("GET", "/_emulator", undefined, { "x-api-key": "no" })).toEqual({
    status: 401,
    body: { error: "send a key of the emulated service as X-API-KEY" },
  });
  expect(await ask("GET", "/_emulator/nothing")).toEqual({
    status: 404,
    body: { error: "there is no GET /_emulator/nothing" },
  });
  expect(await ask("POST", "/_emulator/faults", '"* * 503"', { "content-type": "text/plain" })).toEqual(
    refused("request: send a JSON body with Content-Type: application/json"),
  );
});

test("faults do not hit the control endpoint", async () => {
  await using service = await emulatorFor();
  service.emulator.addFault("* * hang times=always");
  expect((await service.ask("GET", "/_emulator/faults")).status).toBe(200);
});
