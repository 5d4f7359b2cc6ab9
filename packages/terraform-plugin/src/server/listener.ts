import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { platform, tmpdir } from "node:os";
import path from "node:path";

/** Where Terraform can connect. */
export interface Listener {
  readonly network: "unix" | "tcp";
  /** The path of a socket, or host and port. */
  readonly address: string;
  /** Whoever comes is given to `callback`, which must be there at once. */
  onConnection(callback: (socket: Socket) => void): void;
  /** Lets nobody in any more, and leaves nothing behind. */
  close(): void;
}

/**
 * Listens on a socket file in a new folder that only this user can enter. On Windows, whose sockets no Go program could
 * dial, it is a port of this machine.
 */
export async function listen(usesPort = platform() === "win32"): Promise<Listener> {
  const folder = usesPort ? undefined : newFolder();
  const server = createServer();
  if (folder === undefined) server.listen(0, "127.0.0.1");
  else server.listen(path.join(folder, socketName));
  await once(server, "listening");
  const at = server.address();
  const address = at !== null && typeof at === "object" ? `127.0.0.1:${at.port}` : (at ?? "");
  return {
    network: usesPort ? "tcp" : "unix",
    address,
    onConnection: (callback) => void server.on("connection", callback),
    close() {
      server.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

const socketName = "socket";

/**
 * Linux takes 107 bytes for the path of a socket, macOS 103, and Node 20 cuts a longer one without a word, so that
 * nobody finds it.
 */
const maxPathBytes = 100;

function newFolder(): string {
  const prefix = path.join(tmpdir(), "plugin-");
  if (Buffer.byteLength(path.join(`${prefix}123456`, socketName)) <= maxPathBytes) {
    try {
      return mkdtempSync(prefix);
    } catch {
      // Missing or full, or not ours to write in.
    }
  }
  return mkdtempSync("/tmp/plugin-");
}
