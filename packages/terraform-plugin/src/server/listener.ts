import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { platform, tmpdir } from "node:os";
import path from "node:path";

/** A listener to which Terraform can connect. */
export interface Listener {
  readonly network: "unix" | "tcp";
  /** The path of a socket, or a host and port. */
  readonly address: string;
  /** Passes each connection to `callback`, which must be set immediately. */
  onConnection(callback: (socket: Socket) => void): void;
  /** Accepts no more connections, and deletes the socket. */
  close(): void;
}

/**
 * Listens on a socket file in a new folder that only this user can enter; on Windows, to whose sockets Go programs cannot
 * connect, on a port of this machine.
 */
export async function listen(usesPort = platform() === "win32"): Promise<Listener> {
  const folder = usesPort ? undefined : createFolder();
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
 * The path of a socket may have 107 bytes on Linux, 103 on macOS. Node 20 silently cuts a longer one, so that Terraform
 * would not find it.
 */
const maxPathBytes = 100;

function createFolder(): string {
  const prefix = path.join(tmpdir(), "plugin-");
  if (Buffer.byteLength(path.join(`${prefix}123456`, socketName)) <= maxPathBytes) {
    try {
      return mkdtempSync(prefix);
    } catch {
      // Missing, full, or not writable.
    }
  }
  return mkdtempSync("/tmp/plugin-");
}
