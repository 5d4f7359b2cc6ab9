import { tmpdir } from "node:os";
import { inspect } from "node:util";
import { expect } from "vitest";
import { SourceRun } from "../../../src/core/secrets/index.js";
import { catchSourceError, read, readVersion } from "../asking.js";

/** Values that no message may contain. */
const canaries = new Set<string>();
let made = 0;

/** Returns a new secret value. */
export function createCanary(): string {
  made += 1;
  const value = `canary-${made}-${Math.random().toString(36).slice(2)}`;
  canaries.add(value);
  return value;
}

export type Fields = Readonly<Record<string, string | number>>;

/** Secret reads within one command run. */
export interface VaultRun {
  read(fields: Fields): Promise<{ readonly value: string; readonly version?: string }>;
  version(fields: Fields): Promise<string | undefined>;
  close(): Promise<void>;
}

export function runOn(
  server: { readonly url: string },
  variables: Readonly<Record<string, string>>,
  root = tmpdir(),
): VaultRun {
  for (const [name, value] of Object.entries(variables))
    if (/TOKEN|SECRET_ID|JWT$/.test(name) && !value.startsWith("http")) canaries.add(value);
  const run = new SourceRun();
  const environment = { VAULT_ADDR: server.url, ...variables };
  return {
    read: (fields) => read({ from: "vault", ...fields }, environment, { root, run }),
    version: (fields) => readVersion({ from: "vault", ...fields }, environment, { root, run }),
    close: () => run.close(),
  };
}

/** Returns the error code and message, without names that differ between tests. */
export async function formatFailure(
  work: Promise<unknown>,
  ...names: readonly [name: string, shown: string][]
): Promise<string> {
  const error = await catchSourceError(work);
  const everything = inspect(error, { depth: 9, showHidden: true });
  for (const secret of canaries) expect(everything).not.toContain(secret);
  return names.reduce(
    (text, [name, shown]) => text.replaceAll(name, shown),
    `${error.code}: ${error.message}`,
  );
}
