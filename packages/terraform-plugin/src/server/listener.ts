import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { platform, tmpdir } from "node:os";
import path from "node:path";

/** Where Terraform can connect. */
export interface Listener {
  readonly network: "unix" | "tcp";
  readonly address: string;
  /** Whoever comes is given to `callback`, which must be there at once. */
  onConnection(callback: (socket: Socket) => void): void;
  /** Lets nobody in any more, and leaves nothing behind. */
  close(): void;
}

/**
 * Listens on a socket file in a new folder that only this user can enter, within the first of `parents` that will do.
 * Where none does, and on Windows, whose sockets no Go program could dial, it is a port of this machine.
 */
export async function listen(parents: readonly string[] = defaultParents()): Promise<Listener> {
  const folder = newFolder(parents);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (folder === undefined) server.listen(0, "127.0.0.1", resolve);
    else server.listen(path.join(folder, socketName), resolve);
  });
  const at = server.address();
  const isPort = at !== null && typeof at === "object";
  return {
    network: isPort ? "tcp" : "unix",
    address: isPort ? `127.0.0.1:${at.port}` : (at ?? ""),
    onConnection: (callback) => void server.on("connection", callback),
    close() {
      server.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function defaultParents(): readonly string[] {
  return platform() === "win32" ? [] : [tmpdir(), "/tmp"];
}

const socketName = "socket";

/**
 * Linux takes 107 bytes for the path of a socket, macOS 103, and Node 20 cuts a longer one without a word, so that
 * nobody finds it.
 */
const maxPathBytes = 100;

function newFolder(parents: readonly string[]): string | undefined {
  for (const parent of parents) {
    const prefix = path.join(parent, "plugin-");
    if (Buffer.byteLength(path.join(`${prefix}123456`, socketName)) > maxPathBytes) continue;
    try {
      return mkdtempSync(prefix);
    } catch {
      // Missing or full, or not ours to write in: the next.
    }
  }
  return undefined;
}
