import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createSampleDataset, type FaultAction } from "../../src/emulator/index.js";
import { matchText, startProject } from "./hosting.js";

/*
 * A token lets anyone start the session and use its credits. Only `token` prints it, and only to stdout.
 */

const world = createSampleDataset(Date.now());
const files = {
  "avatarops.yaml": `
service: { timeout_seconds: 1 }
avatars:
  host: { id: ${world.avatars[0]?.id}, name: Front desk }
sessions:
  kiosk: { avatar: host, mode: LITE, persona: { language: en } }
`,
};
const canary = "canary-7f3A9kQ2xW.81d0c4-5bZ";
const sessionId = "5e000000-0000-4000-8000-000000000001";
const formats = ["text", "json"] as const;

const formatSuccess = (data: unknown) => JSON.stringify({ code: 100, data, message: "ok" });
const createRejection = (status: number, body: unknown, headers = {}): FaultAction => ({
  kind: "status",
  status,
  body,
  headers,
});
const createMalformedBody = (body: string): FaultAction => ({ kind: "malformed", body });

/** Responses without a token to print. */
const troubles: Readonly<Record<string, FaultAction>> = {
  "data that is the token": createMalformedBody(formatSuccess(canary)),
  "a list of tokens": createMalformedBody(formatSuccess([canary])),
  "the token under another key": createMalformedBody(formatSuccess({ secret: canary })),
  "the token as a key": createMalformedBody(formatSuccess({ [canary.replace(/\W/g, "")]: true })),
  "a token that is not a string": createMalformedBody(
    formatSuccess({ session_token: { value: { deep: { deeper: canary } } } }),
  ),
  "a token with a line break": createMalformedBody(formatSuccess({ session_token: `a\n${canary}` })),
  "a token with a color": createMalformedBody(formatSuccess({ session_token: `\u001b[31m${canary}` })),
  "a token with a space": createMalformedBody(formatSuccess({ session_token: `a ${canary}` })),
  "a token that is not ASCII": createMalformedBody(formatSuccess({ session_token: `é${canary}` })),
  "a token with half a character": createMalformedBody(formatSuccess({ session_token: `\ud800${canary}` })),
  "no envelope": createMalformedBody(JSON.stringify({ session_token: canary })),
  "an error in the envelope": createMalformedBody(
    JSON.stringify({ code: 4000, data: { session_token: canary }, message: `Issued ${canary}` }),
  ),
  "text instead of JSON": createMalformedBody(`token=${canary}`),
  "an HTML page": createMalformedBody(`<!doctype html><title>${canary}</title>${canary}`),
  "10 MB of HTML": createMalformedBody(`<!doctype html><title>${canary}</title>${canary.repeat(370_000)}`),
  "JSON that ends too early": createMalformedBody(formatSuccess({ session_token: canary }).slice(0, -20)),
  "an error after the token": createRejection(500, {
    code: 5000,
    message: `Lost ${canary}`,
    data: { token: canary },
  }),
  "an error page": createRejection(502, `<html><title>${canary}</title></html>`),
  "a timeout that contains the token": createRejection(408, { message: canary }),
  "a rejection that repeats the token": createRejection(409, { message: `There is ${canary} already` }),
  "a rejection that contains part of the token": createRejection(400, { session_token: canary.slice(0, 12) }),
  "details that repeat the token": createRejection(422, { detail: [{ loc: ["body", canary], msg: canary }] }),
  "a redirect with the token": createRejection(303, "", {
    location: `https://example.com/start?token=${canary}`,
  }),
};

test.each(Object.entries(troubles))("prints no part of a token response with %s", async (_, fault) => {
  const { avatarops, emulator } = await startProject({ files, world: structuredClone(world) });
  for (const format of formats) {
    emulator.addFault({ match: { path: "/v1/sessions/token" }, do: fault });

    const { exit, stdout, stderr } = await avatarops("token", "kiosk", "--format", format);

    expect(exit).toBe(1);
    expect(format === "json" ? stdout : stderr).toMatch(/token|session/);
    for (const part of [canary, canary.replace(/\W/g, ""), canary.slice(0, 12)])
      expect(stdout + stderr).not.toContain(part);
    if (format !== "json") expect(stdout).toBe("");
  }
  expect(emulator.requests).toHaveLength(formats.length);
});

test.each<FaultAction>([
  { kind: "drop", when: "after" },
  { kind: "cut", bytes: 90 },
  { kind: "hang", when: "after" },
  { kind: "status", status: 503, after: true },
])("does not retry a token request after a lost response: $kind", async (fault) => {
  const { avatarops, emulator } = await startProject({ files, world: structuredClone(world) });
  const before = emulator.world.sessions.length;
  emulator.addFault({ match: { path: "/v1/sessions/token" }, do: fault });

  const { exit, stdout, stderr } = await avatarops("token", "kiosk");

  expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
  expect(stderr).toEqual(
    matchText("The request is not retried, because each attempt may start another session"),
  );
  expect(stderr).not.toContain("session-token-");
  expect(emulator.world.sessions).toHaveLength(before + 1);
});

test.each(formats)("prints the token only to stdout with --format %s", async (format) => {
  const project = await startProject({ files, world: structuredClone(world) });
  const data = { session_id: sessionId, session_token: canary };
  project.emulator.addFault({
    match: { path: "/v1/sessions/token" },
    do: createMalformedBody(formatSuccess(data)),
  });

  const { exit, stdout, stderr } = await project.avatarops("token", "kiosk", "--format", format);

  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  expect(stdout.split(canary)).toHaveLength(2);
  for (const file of await readdir(project.folder, { recursive: true, withFileTypes: true })) {
    if (file.isFile())
      expect(await readFile(path.join(file.parentPath, file.name), "utf8")).not.toContain(canary);
  }
});
