import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Listening, listen } from "../listening.js";

/** Server program that runs for a test. */
export type Running = Listening;

/** Starts a server, by default on a free port, and waits until it accepts connections. */
export async function startServer(
  start: (port: number) => ChildProcess,
  signal: NodeJS.Signals = "SIGTERM",
  given?: number,
): Promise<Running> {
  const port = given ?? (await findFreePort());
  const server = start(port);
  const output: string[] = [];
  for (const stream of [server.stdout, server.stderr])
    stream?.on("data", (bytes) => output.push(String(bytes)));
  const ended = once(server, "exit");
  for (let attempt = 0; !(await acceptsConnections(port)); attempt++) {
    if (server.exitCode !== null || attempt === 300) {
      server.kill();
      throw new Error(`${server.spawnargs.join(" ")} did not start:\n${output.join("")}`);
    }
    await sleep(100);
  }
  return {
    port,
    async close() {
      server.kill(signal);
      await ended;
    },
  };
}

/** Starts a program and keeps its output in case it fails to start. */
export function startProgram(
  path: string,
  argv: readonly string[],
  options: { cwd?: string; uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {},
): ChildProcess {
  return spawn(path, argv, { ...options, stdio: ["ignore", "pipe", "pipe"] });
}

async function acceptsConnections(port: number): Promise<boolean> {
  const socket = createConnection({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Returns an unused port on this machine. */
export async function findFreePort(): Promise<number> {
  const { port, close } = await listen(createServer());
  await close();
  return port;
}
