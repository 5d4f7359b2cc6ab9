import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type StartedSource, written } from "./compliance.js";

/** The example of the documentation: the file of a project that defines a source of its own. */
export const keyringSource = exampleIn(readFileSync("docs/secrets.md", "utf8"));

function exampleIn(page: string): string {
  const [, code = ""] = /<!-- example: keyring\.ts -->\n+```ts\n(.*?)```/s.exec(page) ?? [];
  return code;
}

/** A vault with values by name, their versions, and a token that may read them, or their versions only. */
export async function startKeyring(): Promise<StartedSource> {
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
      unseen: ["huge"],
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
