import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";

/** Server that ends with its parent process, even if the parent is killed. */
export interface ChildServer {
  isAlive(): boolean;
  /** Returns the server's output so far. */
  readOutput(): Promise<string>;
  close(): Promise<void>;
}

/** Starts a program in a folder and removes the folder when the program ends. */
export function startChildServer(
  program: string,
  argv: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
): ChildServer {
  const server = spawn("sh", ["-c", keeper, "sh", program, ...argv], {
    cwd: folder,
    env: { ...environment, KEPT_FOLDER: folder },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = once(server, "close");
  server.stdout.resume();
  return {
    isAlive: () => server.exitCode === null,
    readOutput: () => readFile(path.join(folder, "server.log"), "utf8"),
    async close() {
      server.stdin.end();
      await ended;
    },
  };
}

/**
 * Shell script that runs a server until stdin closes, which also happens if the tests are killed. It then removes the
 * folder before it closes stdout. The shell exits when the server does.
 */
const keeper = `
exec 3<&0
"$@" >server.log 2>&1 3<&- &
server=$!
{ read -r _ <&3; kill $server; while kill -0 $server; do sleep 0.1; done; rm -rf "$KEPT_FOLDER"; } 2>/dev/null &
wait $server
`;
