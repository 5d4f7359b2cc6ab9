// @module-tag night
/** Tests a state store that disappears or stops responding during an apply. The run gives up and loses no id. */
import { createConnection, createServer, type Socket } from "node:net";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { commitFiles, createGitEnvironment, git, newFolder } from "../git/repositories.js";
import { listen } from "../listening.js";
import { credentials, gitlabPath, startHttpBackend } from "../stores/http-backend.js";
import { startPostgres } from "../stores/postgres-server.js";
import { formatS3Location } from "../stores/s3-fixture.js";
import { s3Credentials, startVersitygw } from "../stores/s3-servers.js";
import { startProgram, startServer } from "../stores/starting.js";
import { type Machine, startOn, waitUntil } from "./machine.js";
import { findDuplicates, newSlowService } from "./slow-service.js";

/** Store server. `stateAt` returns the state location for connections through a port, such as the proxy's port. */
interface Server {
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
  stateAt(port: number): string;
  /** Returns the URL of the git remote that contains the state. Undefined for other stores. */
  remoteAt?(port: number): string;
}

const servers: Readonly<Record<string, () => Promise<Server>>> = {
  async git() {
    const folder = newFolder();
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "avatars.git");
    const daemon = path.join(git(folder, "--exec-path"), "git-daemon");
    const options = ["--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1"];
    const { port, close } = await startServer((given) =>
      startProgram(daemon, [...options, `--port=${given}`, `--base-path=${folder}`, folder], {
        env: createGitEnvironment(folder),
      }),
    );
    onTestFinished(close);
    const remoteAt = (given: number) => `git://127.0.0.1:${given}/avatars.git`;
    return { port, environment: {}, remoteAt, stateAt: () => "git+refs://origin/avatarops/production" };
  },
  async PostgreSQL() {
    const { port, password, close } = await startPostgres();
    onTestFinished(close);
    const stateAt = (given: number) => `postgres://avatarops@127.0.0.1:${given}/postgres?name=production`;
    return { port, environment: { PGPASSWORD: password }, stateAt };
  },
  async S3() {
    const { port, close } = await startVersitygw();
    onTestFinished(close);
    return {
      port,
      environment: s3Credentials,
      stateAt: (given) => formatS3Location("production.json", given),
    };
  },
  async HTTP() {
    const { port, close } = await startHttpBackend("gitlab");
    onTestFinished(close);
    const stateAt = (given: number) => `http://127.0.0.1:${given}${gitlabPath}/production`;
    return { port, environment: credentials, stateAt };
  },
};
const tags: Readonly<Record<string, string>> = { PostgreSQL: "postgresql", S3: "versitygw" };

/** Starts a TCP proxy that can close its connections or stop responding. */
async function openWay(target: number) {
  let state: "open" | "gone" | "silent" = "open";
  const sockets = new Set<Socket>();
  const { port, close } = await listen(
    createServer((client) => {
      if (state === "gone") return void client.resetAndDestroy();
      const upstream = createConnection({ port: target, host: "127.0.0.1" });
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(from.on("error", () => {}).on("close", () => to.destroy()));
        from.on("data", (bytes) => state === "silent" || to.write(bytes));
      }
    }),
  );
  onTestFinished(close);
  return {
    port,
    set(next: typeof state) {
      state = next;
      if (next !== "silent") for (const socket of sockets) socket.destroy();
    },
  };
}

/** Enough contexts that the run checks its lock again before it has sent all creates. */
const contexts = 100;
const secrets = 4;
const manifest = [
  ...[
    "contexts:",
    ...Array.from({ length: contexts }, (_, at) => `  c${at}: { name: Desk ${at}, prompt: Be kind ${at}. }`),
  ],
  "secrets:",
  ...Array.from(
    { length: secrets },
    (_, at) =>
      `  s${at}: { secret_name: Key ${at}, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY_${at} }`,
  ),
].join("\n");

describe.each(Object.entries(servers))("apply with its state in %s", (name, startStore) => {
  test.each(["gone", "silent"] as const)(
    "gives up without losing an id if the store is %s",
    {
      tags: tags[name] ?? [],
      timeout: 900_000,
    },
    async (how) => {
      const store = await startStore();
      const way = await openWay(store.port);
      const service = await newSlowService([300, 600]);
      const folder = newFolder();
      git(folder, "init", "--quiet", "--initial-branch=main");
      if (store.remoteAt) git(folder, "remote", "add", "origin", store.remoteAt(way.port));
      commitFiles(folder, {
        "avatarops.yaml": `state: ${store.stateAt(way.port)}\n${manifest}\n`,
        ".gitignore": ".avatarops/\n",
      });
      const keys = Array.from({ length: secrets }, (_, at) => [`KEY_${at}`, `value-${at}`]);
      const environment = {
        ...createGitEnvironment(folder),
        ...{
          AVATAROPS_BASE_URL: service.url,
          AVATAROPS_API_KEY: "test-key",
          AVATAROPS_ALLOW_HOSTS: "127.0.0.1",
        },
        ...{ ...store.environment, ...Object.fromEntries(keys) },
      };
      const desk: Machine = { name: "desk", folder, environment };
      const run = async (...argv: string[]) => {
        const process = startOn(desk, argv);
        return { ...(await process.ended), output: process.output() };
      };
      // Applies one context first, so that the store's tables and probes already exist.
      const only = await run("apply", "--auto-approve", "--target", "context.c0");
      expect(only.exit, only.output).toBe(0);

      const first = startOn(desk, ["apply", "--auto-approve", "--concurrency", "4"]);
      expect(await waitUntil(() => service.writes.length >= 14, 120_000)).toBe(true);
      way.set(how);
      const goneMs = Date.now();
      const { exit } = await first.ended;
      const seconds = (Date.now() - goneMs) / 1_000;
      const output = first.output();
      console.log(
        `${name}, ${how}: gave up after ${seconds.toFixed(1)} s\n${output.slice(output.indexOf("applied"))}`,
      );
      expect(exit, output).toBe(3);
      expect(output).not.toContain("is recorded");
      const sent = service.writes.length;
      expect(sent).toBeLessThan(contexts + secrets);

      way.set("open");
      for (const [, argv = ""] of output.matchAll(/`avatarops (import \S+ [^\s`]+)`/g))
        expect(await run(...argv.split(" "))).toMatchObject({ exit: 0 });
      const again = await run("apply", "--auto-approve");
      if (again.output.includes("state unlock")) {
        expect(await run("state", "unlock")).toMatchObject({ exit: 0 });
        expect(await run("apply", "--auto-approve")).toMatchObject({ exit: 0 });
      } else expect(again.exit, again.output).toBe(0);
      expect(findDuplicates(service)).toEqual([]);
      const { world } = service.emulator;
      expect([world.contexts.length, world.secrets.length]).toEqual([contexts, secrets]);
      expect(await run("plan", "--detailed-exitcode")).toMatchObject({ exit: 0 });
    },
  );
});
