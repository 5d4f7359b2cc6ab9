import { randomUUID, verify } from "node:crypto";
import { type Answer, done, ok, type Question, refusal } from "./stand-in-answers.js";

/** An enabled auth method. */
export interface Auth {
  readonly type: string;
  config: Readonly<Record<string, unknown>>;
  readonly roles: Map<string, Role>;
}

interface Role {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly roleId: string;
  readonly secretIds: Set<string>;
}

/** https://developer.hashicorp.com/vault/api-docs/auth/approle, …/jwt and …/kubernetes */
export function configure(auth: Auth, { method, path, body }: Question): Answer {
  if (path === "config") {
    auth.config = body;
    return done;
  }
  const [, name = "", what] = path.split("/");
  const role = auth.roles.get(name);
  if (what === undefined && method === "POST") {
    auth.roles.set(name, { settings: body, roleId: randomUUID(), secretIds: new Set() });
    return done;
  }
  if (what === undefined && method === "DELETE") {
    auth.roles.delete(name);
    return done;
  }
  if (what === "role-id" && role) return ok({ role_id: role.roleId });
  if (what === "secret-id" && role) {
    const secretId = randomUUID();
    role.secretIds.add(secretId);
    return ok({ secret_id: secretId, secret_id_accessor: randomUUID(), secret_id_ttl: 0 });
  }
  return refusal(404);
}

/** The policies of who logs in, or why not. */
export function logIn(
  auth: Auth,
  body: Readonly<Record<string, unknown>>,
): { readonly policies: readonly string[] } | Answer {
  if (auth.type === "approle") {
    const role = [...auth.roles.values()].find(({ roleId }) => roleId === body.role_id);
    const isKnown = role?.secretIds.has(String(body.secret_id));
    return role && isKnown ? policiesOf(role) : refusal(400, "invalid role or secret ID");
  }
  const name = String(body.role ?? auth.config.default_role ?? "");
  if (name === "") return refusal(400, "missing role");
  const role = auth.roles.get(name);
  if (!role) return refusal(400, `role "${name}" could not be found`);
  const { jwt_validation_pubkeys: keys = auth.config.pem_keys } = auth.config;
  const claims = claimsIn(String(body.jwt), keys as readonly string[]);
  if (!claims) return refusal(400, "error validating token: error verifying token signature: no known key");
  return (auth.type === "kubernetes" && accountTrouble(role, claims)) || policiesOf(role);
}

function policiesOf({ settings }: Role): { readonly policies: readonly string[] } {
  return { policies: settings.token_policies as readonly string[] };
}

type Claims = Readonly<Record<string, unknown>>;

function claimsIn(jwt: string, keys: readonly string[]): Claims | undefined {
  const [head = "", body = "", signature = ""] = jwt.split(".");
  const signed = Buffer.from(`${head}.${body}`);
  const proof = Buffer.from(signature, "base64url");
  if (!keys.some((key) => verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, proof)))
    return undefined;
  return JSON.parse(Buffer.from(body, "base64url").toString()) as Claims;
}

function accountTrouble({ settings }: Role, claims: Claims): Answer | undefined {
  const [, , namespace, account] = String(claims.sub).split(":");
  const isBound =
    (settings.bound_service_account_names as readonly unknown[]).includes(account) &&
    (settings.bound_service_account_namespaces as readonly unknown[]).includes(namespace);
  return isBound ? undefined : refusal(403, "service account name not authorized");
}
