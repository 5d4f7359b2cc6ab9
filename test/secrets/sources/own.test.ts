import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { startProject } from "../../cli/hosting.js";
import { canary, describeSource, type StartedSource, written } from "./compliance.js";
import { keyringSource } from "./keyring.js";

/** A source that the project defines itself, in TypeScript: one of the documentation, with a vault for it. */

describeSource("keyring", startKeyring);

/** A vault with values by name, their versions, and a token that may read them, or their versions only. */
async function startKeyring(): Promise<StartedSource> {
  const values = new Map<string, { value: string; version: number }>();
  const counts = { value: 0, version: 0 };
  let answer: ((response: ServerResponse, value: string) => void) | undefined;
  let refusesValues = false;
  const server = createServer((request, response) => {
    const [, what = "", name = ""] = /^\/(value|version)\/(\w+)$/.exec(request.url ?? "") ?? [];
    counts[what as keyof typeof counts]++;
    const held = values.get(name);
    if (request.headers.authorization !== "Bearer a-token") return response.writeHead(401).end();
    if (answer) return answer(response, held?.value ?? "");
    if (!held) return response.writeHead(404).end();
    if (what === "value" && refusesValues) return response.writeHead(403).end();
    const { version } = held;
    return response.end(JSON.stringify(what === "value" ? held : { version }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answering = (status: number, text: (value: string) => string) => () => {
    answer = (response, value) => response.writeHead(status).end(text(value));
  };
  const environment: Record<string, string> = { KEYRING_TOKEN: "a-token" };
  return {
    environment,
    files: { "keyring.ts": keyringSource },
    include: ["keyring.ts"],
    written: (name, timeoutSeconds) => ({
      ...written("keyring", { name, address, timeoutSeconds }),
      from: "./keyring.js",
    }),
    put(name, value) {
      values.set(name, { value, version: (values.get(name)?.version ?? 2) + 1 });
    },
    failures: {
      unauthorized: () => {
        environment.KEYRING_TOKEN = "another";
      },
      forbidden: answering(403, (value) => `${value} is not for you`),
      missing: (name) => {
        values.delete(name);
      },
      recovering: () => {
        let failures = 2;
        answer = (response, value) => {
          if (failures-- <= 0) answer = undefined;
          response.writeHead(500).end(value);
        };
      },
      unavailable: answering(503, (value) => value),
      html: answering(200, (value) => `<!DOCTYPE html><p>${value}`),
      cut: answering(200, (value) => JSON.stringify({ value, version: 3 }).slice(0, -9)),
      huge: answering(200, (value) => JSON.stringify({ value: value.repeat(250_000), version: 3 })),
      slow: () => {
        answer = (response, value) => response.write(value);
      },
      empty: answering(200, () => JSON.stringify({ value: " ", version: 3 })),
    },
    reads: () => counts.value,
    versions: {
      asked: () => counts.version,
      refuseValues: () => {
        refusesValues = true;
      },
      allowValues: () => {
        refusesValues = false;
      },
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("a source that a project defines", () => {
  const project = (files: Record<string, string>) => startProject({ files });
  const yaml = (source: string) =>
    `include: [keyring.ts]\nsecrets:\n  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: ${source} }\n`;

  test.each([
    ["an unknown field", "!keyring { nmae: one }", 'no field "nmae"', 'did you mean "name"?'],
    ["a field of another type", "!keyring { name: [one] }", "name of !keyring must be a text", ""],
    ["no fields", "!keyring one", "!keyring must be followed by its fields", "write !keyring { name: …"],
    ["a pasted token", `!keyring { name: hvs.${canary.slice(0, 8)} }`, "looks like a key or a token", ""],
    ["another tag", "!keyrin { name: one }", "there is no tag !keyrin", "did you mean !keyring?"],
  ])("is refused with %s, at its place", async (_, source, message, hint) => {
    const on = await project({ "avatarops.yaml": yaml(source), "keyring.ts": keyringSource });
    const { exit, stderr, stdout } = await on.avatarops("validate");
    const said = (stdout + stderr).replace(/\s+/g, " ");
    expect(exit).toBe(1);
    expect(said).toContain(message);
    expect(said).toContain(hint);
    expect(said).toContain("avatarops.yaml:3");
    expect(said).not.toContain(canary.slice(0, 8));
  });

  test("is unknown where no file defines it", async () => {
    const on = await project({ "avatarops.yaml": yaml("!keyring { name: one }").replace(/^.*\n/, "") });
    const { exit, stdout, stderr } = await on.avatarops("validate");
    expect([exit, stdout + stderr]).toEqual([1, expect.stringContaining("there is no tag !keyring")]);
  });

  test("cannot take the name of another", async () => {
    const code = keyringSource.replaceAll('"keyring"', '"env"');
    const on = await project({ "avatarops.yaml": yaml("!env KEY"), "keyring.ts": code });
    const { exit, stdout, stderr } = await on.avatarops("validate");
    expect([exit, stdout + stderr]).toEqual([1, expect.stringContaining('a source called "env" already')]);
  });
});
