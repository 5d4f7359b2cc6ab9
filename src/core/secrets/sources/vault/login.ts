import { readRegular } from "../../../../base/files/index.js";
import { openHttpClient, type ProxyOptions } from "../../../../base/http/index.js";
import { VaultError } from "./errors.js";
import type { JwtSource, VaultAuth } from "./settings.js";

type Variables = Readonly<Record<string, string | undefined>>;

/** A token that is there, or the request that logs in. */
export type Credentials =
  | { readonly token: string }
  | { readonly mount: string; readonly method: string; readonly body: Readonly<Record<string, string>> };

/** @throws VaultError if they are not where they should be. */
export async function credentialsFor(
  auth: VaultAuth,
  environment: Variables,
  proxy: ProxyOptions,
): Promise<Credentials> {
  const { method } = auth;
  switch (method) {
    case "token":
      return { token: await readToken(auth, environment) };
    case "approle": {
      const { mount, roleId, secretIdVariable } = auth;
      const body = { role_id: roleId, secret_id: readVariable(secretIdVariable, "secret id", environment) };
      return { mount, method, body };
    }
    case "jwt":
    case "kubernetes": {
      const { mount, role, from } = auth;
      const jwt = await readJwt(from, environment, proxy);
      return { mount, method, body: { ...(role && { role }), jwt } };
    }
  }
}

async function readToken(
  { variables, file }: Extract<VaultAuth, { method: "token" }>,
  environment: Variables,
): Promise<string> {
  const given = variables.map((name) => environment[name]?.trim()).find(Boolean);
  if (given) return asHeader(given, "token");
  const stored = file && (await readRegular(file, maxCredentialBytes).catch(() => undefined));
  if (stored) return asHeader(Buffer.from(stored).toString().trim(), "token");
  throw new VaultError(
    "not-set",
    `cannot be read: there is no token. Set ${variables[0]}, run \`vault login\`, or have a job log in: \`auth\` is approle, jwt or kubernetes then.`,
  );
}

/** No token or JWT is longer. */
const maxCredentialBytes = 64 * 1024;

function readVariable(name: string, what: string, environment: Variables): string {
  const value = environment[name]?.trim();
  if (value) return value;
  throw new VaultError(
    "not-set",
    `cannot be read: the ${what} with which to log in is not there. Set ${name}, for example from the secrets of your CI.`,
  );
}

async function readJwt(from: JwtSource, environment: Variables, proxy: ProxyOptions): Promise<string> {
  if (from.in === "github") return githubToken(from.audience, environment, proxy);
  if (from.in === "file") return readJwtFile(from.path);
  const value = environment[from.name]?.trim();
  if (value) return value;
  throw new VaultError(
    "not-set",
    `cannot be read: the JWT with which to log in is not there: ${from.name} is not set. On GitLab, name it below \`id_tokens\` of the job; on GitHub, give the job the permission \`id-token: write\`; elsewhere, name a variable or a file (\`jwt_variable\`, \`jwt_file\`).`,
  );
}

async function readJwtFile(path: string): Promise<string> {
  try {
    const text = Buffer.from(await readRegular(path, maxCredentialBytes))
      .toString()
      .trim();
    if (text !== "") return text;
  } catch {
    // The system's words contain the path, which we say ourselves.
  }
  throw new VaultError(
    "unreadable",
    `cannot be read: the JWT with which to log in is not in the file ${path}. Correct its path (\`jwt_file\`), or its permissions.`,
  );
}

/** GitHub's token for this job, for an audience: https://docs.github.com/actions/reference/security/oidc */
async function githubToken(audience: string, environment: Variables, proxy: ProxyOptions): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address = "", ACTIONS_ID_TOKEN_REQUEST_TOKEN: token = "" } =
    environment;
  const failed = new VaultError(
    "unreachable",
    "cannot be read: GitHub gave no JWT with which to log in. Give the job the permission `id-token: write`, or try again.",
  );
  if (!URL.canParse(address)) throw failed;
  const url = new URL(address);
  url.searchParams.set("audience", audience);
  const client = openHttpClient({ proxy, timeoutMs: 10_000, maxResponseBytes: maxCredentialBytes });
  try {
    const headers = { authorization: `Bearer ${asHeader(token, "request token")}` };
    const { status, text } = await client.send(url, { headers });
    const { value } = status === 200 ? (JSON.parse(text) as { value?: unknown }) : {};
    if (typeof value === "string" && value !== "") return value;
  } catch {
    // Whatever it was, a part of it may be secret.
  } finally {
    await client.close();
  }
  throw failed;
}

/** What cannot stand in a header cannot be a token, and an error about a header may show it. */
export function asHeader(value: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new VaultError(
    "failed",
    `cannot be read: the ${what} is malformed: it is empty, or has spaces in it.`,
  );
}
