import type { SourceKind } from "../source-kind.js";
import { env, exec, file } from "./env-file-exec.js";

/** Remote secret sources by name, each loaded when a project first uses it. */
const lazy = {
  "aws-secrets-manager": async () => (await import("./aws-secrets-manager.js")).awsSecretsManager,
  "azure-key-vault": async () => (await import("./azure-key-vault.js")).azureKeyVault,
  "google-secret-manager": async () => (await import("./google-secret-manager.js")).googleSecretManager,
  sops: async () => (await import("./sops.js")).sops,
  vault: async () => (await import("./vault.js")).vault,
} as const satisfies Readonly<Record<string, () => Promise<SourceKind>>>;

const loaded = new Map<string, SourceKind>([env, file, exec].map((kind) => [kind.name, kind]));

export const sourceNames: readonly string[] = [...loaded.keys(), ...Object.keys(lazy)];

export function getLoadedKind(name: string): SourceKind | undefined {
  return loaded.get(name);
}

/** Loads a secret source. Returns undefined if the name is unknown. */
export async function loadKind(name: string): Promise<SourceKind | undefined> {
  const kinds: Readonly<Record<string, () => Promise<SourceKind>>> = lazy;
  const load = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (load && !loaded.has(name)) loaded.set(name, await load());
  return loaded.get(name);
}
