import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

/** Where Terraform can connect. */
export interface Listener {
  /** The path of a socket. */
  readonly address: string;
  /** Whoever comes is given to `callback`, which must be there at once. */
  onConnection(callback: (socket: Socket) => void): void;
  /** Lets nobody in any more, and leaves nothing behind. */
  close(): void;
}

/** Listens on a socket file in a new folder that only this user can enter. */
export async function listen(): Promise<Listener> {
  const folder = newFolder();
  const address = path.join(folder, socketName);
  const server = createServer().listen(address);
  await once(server, "listening");
  return {
    address,
    onConnection: (callback) => void server.on("connection", callback),
    close() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
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
