/**
 * A stand-in for Vault, written from its public documentation (https://developer.hashicorp.com/vault/api-docs): KV
 * secrets engines of both versions, policies, tokens, AppRole, JWT and Kubernetes logins, namespaces, sealing. The tests
 * of `suite.ts` hold it and the real one to the same.
 */
import { createHash, randomBytes } from "node:crypto";
import { selfSigned } from "../../emulator/self-signed.js";
import { type Asked, type StandIn as HttpStandIn, startStandIn as startHttp } from "../stand-ins/server.js";
import { type Answer, done, ok, refusal } from "./stand-in-answers.js";
import { type Auth, configure, logIn } from "./stand-in-logins.js";
import { answerSecrets, type Engine } from "./stand-in-secrets.js";
import type { VaultServer } from "./vault-server.js";

interface Token {
  readonly namespace: string;
  readonly policies: readonly string[];
  readonly expires: number;
  uses: number;
}

/** What a namespace has of its own. */
interface Space {
  readonly engines: Map<string, Engine>;
  readonly auths: Map<string, Auth>;
  /** Rules by the name of the policy, then by path. */
  readonly policies: Map<string, Record<string, { capabilities: readonly string[] }>>;
}

const denied = refusal(403, "1 error occurred:\n\t* permission denied\n\n");

/** What a test may do with it besides. */
export interface StandIn extends VaultServer, HttpStandIn {}

export async function startStandIn({ tls = false } = {}): Promise<StandIn> {
  const spaces = new Map<string, Space>([["", newSpace()]]);
  const rootToken = `hvs.root-${randomBytes(9).toString("hex")}`;
  const tokens = new Map<string, Token>([[rootToken, newToken("", ["root"])]]);
  let isSealed = false;

  const issue = (token: Token): object => {
    const name = `hvs.${randomBytes(18).toString("hex")}`;
    tokens.set(name, token);
    return {
      client_token: name,
      accessor: accessorOf(name),
      policies: token.policies,
      lease_duration: 3_600,
      renewable: true,
    };
  };

  const answer = (request: Asked): Answer => {
    const { pathname, searchParams: query } = request.url;
    const body: Record<string, unknown> = request.body === "" ? {} : JSON.parse(request.body);
    const path = pathname.split("/").slice(2).map(decodeURIComponent).join("/");
    const method = request.method === "PUT" ? "POST" : request.method;
    if (path === "sys/unseal" && body.key === unsealKey) isSealed = false;
    if (path === "sys/seal-status" || path === "sys/unseal")
      return { status: 200, body: { sealed: isSealed } };
    if (isSealed) return refusal(503, "Vault is sealed");
    const namespace = String(request.headers["x-vault-namespace"] ?? "").replaceAll(/^\/|\/$/g, "");
    const space = spaces.get(namespace);
    if (!space) return refusal(404, "no handler for route");
    const question = { method, query, body };

    const [login, auth] = mountIn(space.auths, path.replace(/^auth\//, "")) ?? [];
    if (auth && login === "login" && path.startsWith("auth/")) {
      const who = logIn(auth, body);
      if (!("policies" in who)) return who;
      return ok(null, { auth: issue(newToken(namespace, [...who.policies, "default"])) });
    }

    const given = request.headers["x-vault-token"];
    const token = tokens.get(String(given));
    if (given === undefined) return denied;
    if (!token || token.expires < Date.now() || token.uses === 0)
      return refusal(403, "2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n");
    token.uses -= 1;
    const isRoot = token.policies.includes("root");
    const rules = token.policies.map((name) => space.policies.get(name) ?? {});
    if (namespace !== token.namespace && !isRoot) return denied;

    if (path.startsWith("sys/internal/ui/mounts/")) {
      const asked = path.slice("sys/internal/ui/mounts/".length);
      const [, engine, mount = ""] = mountIn(space.engines, asked) ?? [];
      const mayUse = isRoot || rules.some((rule) => Object.keys(rule).some((name) => name.startsWith(mount)));
      if (!engine || !mayUse) {
        return refusal(
          403,
          `preflight capability check returned 403, please ensure client's policies grant access to path "${asked}/"`,
        );
      }
      const options = engine.version === 1 ? null : { version: "2" };
      return ok({ path: mount, type: engine.type, options });
    }
    if (path === "auth/token/lookup-self") return ok({ policies: token.policies });
    if (path === "auth/token/revoke-self") {
      tokens.delete(String(given));
      return done;
    }
    const capability = { GET: "read", POST: "update", DELETE: "delete" }[method] ?? "deny";
    if (!isRoot && !rules.some((rule) => allows(rule, path, capability))) return denied;

    const [inEngine, engine] = mountIn(space.engines, path) ?? [];
    if (engine && inEngine !== undefined) return answerSecrets(engine, { ...question, path: inEngine });
    if (auth && login !== undefined && path.startsWith("auth/"))
      return configure(auth, { ...question, path: login });
    const [area, what, ...rest] = path.split("/");
    const name = rest.join("/");
    switch (`${area}/${what}`) {
      case "sys/seal":
        isSealed = true;
        return done;
      case "sys/mounts": {
        const { type, options } = body as { type: string; options?: { version?: string } };
        space.engines.set(`${name}/`, {
          type,
          version: options?.version === "2" ? 2 : 1,
          secrets: new Map(),
        });
        return done;
      }
      case "sys/auth":
        space.auths.set(`${name}/`, { type: String(body.type), config: {}, roles: new Map() });
        return done;
      case "sys/policies":
        space.policies.set(name.replace(/^acl\//, ""), JSON.parse(String(body.policy)).path);
        return done;
      case "sys/namespaces":
        spaces.set(name, newSpace());
        return ok({ path: `${name}/` });
      case "auth/token": {
        if (name === "accessors") return ok({ keys: [...tokens.keys()].map(accessorOf) });
        if (name === "revoke-accessor") {
          for (const one of tokens.keys()) if (accessorOf(one) === body.accessor) tokens.delete(one);
          return done;
        }
        const { policies = [], num_uses: uses } = body as { policies?: string[]; num_uses?: number };
        return ok(null, { auth: issue(newToken(namespace, [...policies, "default"], uses)) });
      }
      default:
        return refusal(404, `no handler for route "${path}". route entry not found.`);
    }
  };

  const server = await startHttp(answer, () => true, { tls });
  const own = { rootToken, unsealKey, ...(tls ? { certificate: selfSigned.cert } : {}) };
  return Object.assign(server, own);
}

function accessorOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

const unsealKey = createHash("sha256").update("unseal").digest("base64");

function newSpace(): Space {
  const cubbyhole: Engine = { type: "cubbyhole", version: 1, secrets: new Map() };
  return { engines: new Map([["cubbyhole/", cubbyhole]]), auths: new Map(), policies: new Map() };
}

function newToken(namespace: string, policies: readonly string[], uses = 0): Token {
  return { namespace, policies, expires: Number.POSITIVE_INFINITY, uses: uses === 0 ? -1 : uses };
}

/** What is mounted at the longest prefix of a path, the rest of the path, and the prefix. */
function mountIn<Mounted>(mounts: Map<string, Mounted>, path: string): [string, Mounted, string] | undefined {
  const prefixes = [...mounts.keys()].filter((prefix) => `${path}/`.startsWith(prefix));
  const [prefix] = prefixes.sort((one, other) => other.length - one.length);
  const found = prefix === undefined ? undefined : mounts.get(prefix);
  return prefix === undefined || found === undefined ? undefined : [path.slice(prefix.length), found, prefix];
}

/** https://developer.hashicorp.com/vault/docs/concepts/policies */
function allows(
  rules: Record<string, { capabilities: readonly string[] }>,
  path: string,
  capability: string,
): boolean {
  return Object.entries(rules).some(([pattern, { capabilities }]) => {
    const fits = pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
    return fits && capabilities.includes(capability);
  });
}
