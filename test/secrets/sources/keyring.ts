import { readFileSync } from "node:fs";
import { createFailures } from "../stand-ins/failures.js";
import { startStandIn } from "../stand-ins/server.js";
import { formatSource, type StartedSource } from "./compliance.js";

/** Example from the documentation of a project file that defines its own source. */
export const keyringSource = readExample(readFileSync("docs/secrets.md", "utf8"));

function readExample(page: string): string {
  const [, code = ""] = /<!-- example: keyring\.ts -->\n+```ts\n(.*?)```/s.exec(page) ?? [];
  return code;
}

/** Starts a vault with versioned values by name, and a token that may read values or only versions. */
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
  // This source follows redirects, and `fetch` drops the token when it does.
  const { redirecting: _, ...failures } = createFailures(server);
  return {
    environment,
    files: { "keyring.ts": keyringSource },
    include: ["keyring.ts"],
    written: (name, timeoutSeconds) => ({
      ...formatSource("keyring", { name, address: server.url, timeoutSeconds }),
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
