import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { tools } from "../../scripts/tools.js";
import { findFreePort } from "../stores/starting.js";
import { startChildServer } from "./child-server.js";

export interface VaultServer {
  /** URL without a final slash. */
  readonly url: string;
  readonly rootToken: string;
  readonly unsealKey: string;
  close(): Promise<void>;
}

const rootToken = "root-of-tests";

/** Starts an in-memory Vault server on a free port. */
export async function startVault(): Promise<VaultServer> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-vault-"));
  const port = await findFreePort();
  const flags = [
    `-dev-listen-address=127.0.0.1:${port}`,
    `-dev-root-token-id=${rootToken}`,
    "-dev-no-store-token",
  ];
  const argv = ["server", "-dev", ...flags];
  const server = startChildServer(tools.vault.path, argv, folder, { PATH: process.env.PATH, HOME: folder });
  // The server prints the unseal key when ready.
  const unsealKeyIn = (output: string) => /^Unseal Key: (\S+)$/m.exec(output)?.[1];
  for (let attempt = 0; ; attempt += 1) {
    const isAlive = server.isAlive();
    const output = await server.readOutput().catch(() => "");
    const unsealKey = unsealKeyIn(output);
    if (unsealKey !== undefined) {
      return { url: `http://127.0.0.1:${port}`, rootToken, unsealKey, close: server.close };
    }
    if (attempt === 300 || !isAlive) {
      await server.close();
      throw new Error(`Vault did not start:\n${output}`);
    }
    await wait(100);
  }
}
