import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { request } from "undici";
import type { VaultServer } from "./vault.js";

type Rules = Readonly<Record<string, readonly string[]>>;

/** Vault API operations for an operator. */
export interface Operator {
  /** Calls the API with a path below `/v1/`. @throws Error for a response other than 2xx */
  ask(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
  /** Creates a KV secrets engine at a new path. */
  newEngine(version: 1 | 2): Promise<string>;
  /** Creates a policy from the permissions for each path. */
  newPolicy(rules: Rules): Promise<string>;
  setPolicy(name: string, rules: Rules): Promise<void>;
  /** Creates a token with these policies. */
  newToken(...policies: readonly string[]): Promise<string>;
  /** Returns the accessors of all valid tokens. */
  tokens(): Promise<readonly string[]>;
  revoke(accessor: string): Promise<void>;
  /** Creates a role for AppRole at a new path. */
  newAppRole(
    ...policies: readonly string[]
  ): Promise<{ readonly mount: string; readonly roleId: string; readonly secretId: string }>;
  /** Creates a JWT role for a repository at a new path, with a function that signs its tokens. */
  newJwtRole(repository: string, ...policies: readonly string[]): Promise<JwtRole>;
}

/** Role for JWT logins, as used by CI jobs. */
export interface JwtRole {
  readonly mount: string;
  readonly role: string;
  /** Signs a token with these claims. Default: the claims that the role requires. */
  jwt(claims?: Readonly<Record<string, unknown>>): string;
}

const audience = "https://vault.example.com";

export function createOperator({ url, rootToken }: VaultServer): Operator {
  const newName = (what: string) => `${what}-${randomBytes(4).toString("hex")}`;
  const ask: Operator["ask"] = async (method, path, body) => {
    const answer = await request(`${url}/v1/${path}`, {
      method: method as "GET",
      headers: { "x-vault-token": rootToken },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text === "" ? {} : JSON.parse(text);
  };
  const setPolicy: Operator["setPolicy"] = async (name, rules) => {
    const path = Object.fromEntries(
      Object.entries(rules).map(([one, capabilities]) => [one, { capabilities }]),
    );
    await ask("PUT", `sys/policies/acl/${name}`, { policy: JSON.stringify({ path }) });
  };
  const newAuth = async (type: string) => {
    const mount = newName(type);
    await ask("POST", `sys/auth/${mount}`, { type });
    return mount;
  };
  return {
    ask,
    async newEngine(version) {
      const mount = newName("kv");
      await ask("POST", `sys/mounts/${mount}`, { type: "kv", options: { version: String(version) } });
      // A new version 2 engine briefly reports that it is being upgraded.
      for (let attempt = 0; version === 2; attempt += 1) {
        const tried = ask("POST", `${mount}/data/begin`, { data: { begin: "yes" } });
        if (
          attempt === 100 ||
          (await tried.then(
            () => true,
            () => false,
          ))
        )
          return mount;
        await new Promise((done) => setTimeout(done, 50));
      }
      return mount;
    },
    async newPolicy(rules) {
      const name = newName("policy");
      await setPolicy(name, rules);
      return name;
    },
    setPolicy,
    async newToken(...policies) {
      const { auth } = await ask("POST", "auth/token/create", { policies });
      return (auth as { client_token: string }).client_token;
    },
    async tokens() {
      const { data } = await ask("GET", "auth/token/accessors?list=true");
      return (data as { keys: string[] }).keys;
    },
    async revoke(accessor) {
      await ask("POST", "auth/token/revoke-accessor", { accessor });
    },
    async newAppRole(...policies) {
      const mount = await newAuth("approle");
      const role = { token_policies: policies, token_type: "service" };
      await ask("POST", `auth/${mount}/role/ci`, role);
      const { data: id } = await ask("GET", `auth/${mount}/role/ci/role-id`);
      const { data: secret } = await ask("POST", `auth/${mount}/role/ci/secret-id`, {});
      return {
        mount,
        roleId: (id as { role_id: string }).role_id,
        secretId: (secret as { secret_id: string }).secret_id,
      };
    },
    async newJwtRole(repository, ...policies) {
      const mount = await newAuth("jwt");
      const keys = newKeys();
      await ask("POST", `auth/${mount}/config`, { jwt_validation_pubkeys: [keys.public] });
      await ask("POST", `auth/${mount}/role/ci`, {
        role_type: "jwt",
        user_claim: "sub",
        bound_audiences: [audience],
        bound_claims: { repository },
        token_policies: policies,
      });
      const usual = { aud: audience, repository, sub: `repo:${repository}` };
      return { mount, role: "ci", jwt: (claims) => keys.jwt({ ...usual, ...claims }) };
    },
  };
}

/** Creates keys of a JWT issuer. */
export function newKeys(): {
  /** Public key in PEM. */
  readonly public: string;
  jwt(claims: Readonly<Record<string, unknown>>): string;
} {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  return {
    public: publicKey.export({ type: "spki", format: "pem" }).toString(),
    jwt(claims) {
      const seconds = Math.floor(Date.now() / 1_000);
      const signed = `${encoded({ alg: "ES256", typ: "JWT" })}.${encoded({ iat: seconds, exp: seconds + 300, ...claims })}`;
      return `${signed}.${sign("sha256", Buffer.from(signed), key).toString("base64url")}`;
    },
  };
}
