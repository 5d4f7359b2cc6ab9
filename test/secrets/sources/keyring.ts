import { readFileSync } from "node:fs";
import { failuresOf } from "../stand-ins/failures.js";
import { startStandIn } from "../stand-ins/server.js";
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
  let refusesValues = false;
  const refusal = (status: number) => ({ status, body: {} });
  const server = await startStandIn(({ url, headers }) => {
    const [, what = "", name = ""] = /^\/(value|version)\/(\w+)$/.exec(url.pathname) ?? [];
    counts[what as keyof typeof counts]++;
    const held = values.get(name);
    if (headers.authorization !== "Bearer a-token") return refusal(401);
    if (!held) return refusal(404);
    if (what === "value" && refusesValues) return refusal(403);
    return { status: 200, body: what === "value" ? held : { version: held.version } };
  });
  const put = (name: string, value: string) => {
    values.set(name, { value, version: (values.get(name)?.version ?? 2) + 1 });
  };
  const environment: Record<string, string> = { KEYRING_TOKEN: "a-token" };
  // It follows redirects, on which `fetch` leaves out the token.
  const { redirecting: _, ...failures } = failuresOf(server);
  return {
    environment,
    files: { "keyring.ts": keyringSource },
    include: ["keyring.ts"],
    written: (name, timeoutSeconds) => ({
      ...written("keyring", { name, address: server.url, timeoutSeconds }),
      from: "./keyring.js",
    }),
    put,
    failures: {
      ...failures,
      unauthorized: () => {
        environment.KEYRING_TOKEN = "another";
      },
      missing: (name) => void values.delete(name),
      empty: (name) => put(name, " "),
      huge: (name) => put(name, (values.get(name)?.value ?? "").repeat(250_000)),
    },
    reads: () => counts.value,
    versions: {
      asked: () => counts.version,
      unseen: ["huge"],
      refuseValues: () => {
        refusesValues = true;
      },
      allowValues: () => {
        refusesValues = false;
      },
    },
    stop: () => server.close(),
  };
}
