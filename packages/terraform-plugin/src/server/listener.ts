import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { platform, tmpdir } from "node:os";
import path from "node:path";

/** Listener that Terraform can connect to. */
export interface Listener {
  readonly network: "unix" | "tcp";
  /** Socket path, or a host and port. */
  readonly address: string;
  /** Passes each connection to `callback`. Must be called right after `listen`, or early connections are lost. */
  onConnection(callback: (socket: Socket) => void): void;
  /** Stops accepting connections, and deletes the socket. */
  close(): void;
}

/**
 * Listens on a socket file in a new folder that only this user can enter. On Windows, listens on a local port, because
 * Go programs cannot connect to socket files there.
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
 * Maximum length of a socket path. Linux allows 107 bytes and macOS 103, and Node 20 silently truncates longer paths.
 */
const maxPathBytes = 100;

function createFolder(): string {
  const prefix = path.join(tmpdir(), "plugin-");
  if (Buffer.byteLength(path.join(`${prefix}123456`, socketName)) <= maxPathBytes) {
    try {
      return mkdtempSync(prefix);
    } catch {
      // The temporary folder is missing, full or not writable.
    }
  }
  return mkdtempSync("/tmp/plugin-");
}
