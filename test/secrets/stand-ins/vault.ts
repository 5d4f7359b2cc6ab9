import { randomBytes } from "node:crypto";
import { selfSigned } from "../../emulator/self-signed.js";
import { type Answer, type ReceivedRequest, type StandIn, startStandIn } from "./server.js";

/*
 * Simulates Vault with logins and a KV version 2 engine at `kv`, following
 * https://developer.hashicorp.com/vault/api-docs. test/real sends the same requests to the real Vault.
 */

interface Version {
  readonly data: object;
  readonly created_time: string;
  deletion_time: string;
  destroyed: boolean;
}

export interface VaultStandIn extends StandIn {
  /** Token that Vault accepts. */
  readonly token: string;
  readonly tokens: Set<string>;
  /** Parts of the engine that the token may read. If empty, the engine is hidden. */
  readonly rights: Set<string>;
  /** Overrides responses by method and path below `/v1/`. */
  readonly answers: Map<string, Answer>;
  readonly certificate: string;
  namespace: string;
  /** Whether a login at this path succeeds. */
  logsIn(path: string, body: Readonly<Record<string, string>>): boolean;
  /** Writes a secret below `kv` and returns its versions, the latest one last. */
  put(name: string, data: object): Version[];
  remove(name: string): void;
}

export const createSuccess = (data: unknown, more: object = {}): Answer => ({
  status: 200,
  body: { data, ...more },
});
export const createRefusal = (status: number, ...errors: string[]): Answer => ({ status, body: { errors } });

export async function startVault({ tls = false } = {}): Promise<VaultStandIn> {
  const secrets = new Map<string, Version[]>();
  let lastTime = Date.now();

  function answer({ method, url, headers, body }: ReceivedRequest): Answer {
    const path = url.pathname.split("/").slice(2).map(decodeURIComponent).join("/");
    const override = vault.answers.get(`${method} ${path}`);
    if (override) return override;
    if (String(headers["x-vault-namespace"] ?? "") !== vault.namespace)
      return createRefusal(404, "no handler for route");
    if (path.endsWith("/login")) {
      if (!vault.logsIn(path, JSON.parse(body))) return createRefusal(400, "invalid role or secret ID");
      const client_token = `hvs.${randomBytes(18).toString("hex")}`;
      vault.tokens.add(client_token);
      return createSuccess(null, { auth: { client_token, lease_duration: 3_600 } });
    }
    const token = String(headers["x-vault-token"]);
    if (!vault.tokens.has(token))
      return createRefusal(403, "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n");
    if (path === "auth/token/revoke-self") {
      vault.tokens.delete(token);
      return { status: 204, body: "" };
    }
    const [, asked = ""] = /^sys\/internal\/ui\/mounts\/(.*)$/.exec(path) ?? [];
    if (asked.startsWith("cubbyhole/"))
      return createSuccess({ path: "cubbyhole/", type: "cubbyhole", options: null });
    if (/^kv\b/.test(asked) && vault.rights.size > 0)
      return createSuccess({ path: "kv/", type: "kv", options: { version: "2" } });
    const [, part = "", name = ""] = /^kv\/(data|metadata)\/(.*)$/.exec(path) ?? [];
    if (!vault.rights.has(part)) return createRefusal(403, "1 error occurred:\n\t* permission denied\n\n");
    const versions = secrets.get(name);
    const number = Number(url.searchParams.get("version") ?? versions?.length ?? 0);
    const version = versions?.[number - 1];
    if (!versions || (part === "data" && !version)) return createRefusal(404);
    if (part === "metadata") {
      const all = versions.map(({ data: _, ...shown }, at) => [at + 1, shown]);
      return createSuccess({ current_version: versions.length, versions: Object.fromEntries(all) });
    }
    const { data, ...metadata } = version as Version;
    const isGone = metadata.destroyed || metadata.deletion_time !== "";
    const found = createSuccess({ data: isGone ? null : data, metadata: { ...metadata, version: number } });
    return isGone ? { ...found, status: 404 } : found;
  }

  const token = `hvs.root-${randomBytes(9).toString("hex")}`;
  const vault: VaultStandIn = Object.assign(await startStandIn(answer, () => true, { tls }), {
    ...{ token, tokens: new Set([token]), rights: new Set(["data", "metadata"]), answers: new Map() },
    ...{ certificate: selfSigned.cert, namespace: "", logsIn: () => true },
    put(name: string, data: object) {
      // Makes each timestamp unique, like real Vault's nanoseconds.
      lastTime += 1;
      const created_time = new Date(lastTime).toISOString().replace("Z", "123456Z");
      const versions = secrets.get(name) ?? [];
      versions.push({ data, created_time, deletion_time: "", destroyed: false });
      secrets.set(name, versions);
      return versions;
    },
    remove: (name: string) => void secrets.delete(name),
  });
  return vault;
}
