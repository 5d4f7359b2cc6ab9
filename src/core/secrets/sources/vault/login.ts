import path from "node:path";
import { readRegular } from "../../../../base/files/index.js";
import { openHttpClient, type ProxyOptions } from "../../../../base/http/index.js";
import { SourceProblem } from "../../source-error.js";
import type { SourceContext } from "../../source-kind.js";
import { readVariable, type VaultServer } from "./settings.js";

type EnvironmentVariables = SourceContext["environment"];

/** An existing token, or the login request. */
export type VaultCredentials =
  | { readonly token: string }
  | { readonly mount: string; readonly body: Readonly<Record<string, string>> };

/**
 * Reads the credentials for a server from the environment.
 *
 * @throws SourceProblem if they are missing.
 */
export async function readCredentials(
  { address }: VaultServer,
  { environment, root }: SourceContext,
  proxy: ProxyOptions,
): Promise<VaultCredentials> {
  const method = readVariable(environment, "VAULT_AUTH_METHOD") ?? "token";
  const mount = readVariable(environment, "VAULT_AUTH_PATH") ?? method;
  const role = readVariable(environment, "VAULT_AUTH_ROLE");
  const named = readVariable(environment, "VAULT_AUTH_JWT_FILE");
  const file = named && path.resolve(root, named);
  switch (method) {
    case "token":
      return { token: await readToken(environment) };
    case "approle": {
      const roleId = requireVariable(environment, "VAULT_ROLE_ID");
      return { mount, body: { role_id: roleId, secret_id: requireVariable(environment, "VAULT_SECRET_ID") } };
    }
    case "jwt": {
      const jwt = file ? await readJwtFile(file) : await readJwt(address, environment, proxy);
      return { mount, body: { ...(role && { role }), jwt } };
    }
    default:
      throw new SourceProblem("failed", "cannot be read: VAULT_AUTH_METHOD must be token, approle or jwt.");
  }
}

function requireVariable(environment: EnvironmentVariables, name: `VAULT_${string}`): string {
  const value = readVariable(environment, name);
  if (value) return value;
  throw new SourceProblem(
    "not-set",
    `cannot be read: ${name} is not set, but VAULT_AUTH_METHOD requires it. Set it. On your own machine, unset VAULT_AUTH_METHOD and run \`vault login\`.`,
  );
}

async function readToken(environment: EnvironmentVariables): Promise<string> {
  const given = readVariable(environment, "VAULT_TOKEN");
  if (given) return assertHeaderValue(given, "token");
  const file = environment.HOME && path.join(environment.HOME, ".vault-token");
  const stored = file && (await readRegular(file, maxCredentialBytes).catch(() => undefined));
  if (stored) return assertHeaderValue(Buffer.from(stored).toString().trim(), "token");
  throw new SourceProblem(
    "not-set",
    "cannot be read: no Vault token was found. Set VAULT_TOKEN or run `vault login`. In CI, set VAULT_AUTH_METHOD to approle or jwt.",
  );
}

/** Maximum length of a token or JWT. */
const maxCredentialBytes = 64 * 1024;

/** Reads the JWT from GitLab's variable, or requests one from GitHub. */
async function readJwt(
  address: string,
  environment: EnvironmentVariables,
  proxy: ProxyOptions,
): Promise<string> {
  const given = readVariable(environment, "VAULT_ID_TOKEN");
  if (given) return given;
  // Limits the JWT to this Vault server, so that the server cannot use it to log in to another one.
  const audience = readVariable(environment, "VAULT_AUTH_AUDIENCE") ?? address;
  if (environment.ACTIONS_ID_TOKEN_REQUEST_URL) return requestGitHubToken(audience, environment, proxy);
  throw new SourceProblem(
    "not-set",
    "cannot be read: VAULT_ID_TOKEN, the JWT for the login, is not set. On GitLab, add it to the job's `id_tokens`. On GitHub, give the job the permission `id-token: write`. On other CI systems, set VAULT_ID_TOKEN or VAULT_AUTH_JWT_FILE. On your own machine, unset VAULT_AUTH_METHOD and run `vault login`.",
  );
}

async function readJwtFile(file: string): Promise<string> {
  const bytes = await readRegular(file, maxCredentialBytes).catch(() => undefined);
  const text = bytes?.toString().trim();
  if (text) return text;
  throw new SourceProblem(
    "unreadable",
    `cannot be read: the file ${file} contains no JWT for the login. Correct VAULT_AUTH_JWT_FILE or the file's permissions.`,
  );
}

/** Requests GitHub's token for this job and an audience: https://docs.github.com/actions/reference/security/oidc */
async function requestGitHubToken(
  audience: string,
  environment: EnvironmentVariables,
  proxy: ProxyOptions,
): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address = "", ACTIONS_ID_TOKEN_REQUEST_TOKEN: token = "" } =
    environment;
  const noToken = new SourceProblem(
    "unreachable",
    "cannot be read: GitHub returned no JWT for the login. Give the job the permission `id-token: write`, or retry.",
  );
  if (!URL.canParse(address)) throw noToken;
  const url = new URL(address);
  url.searchParams.set("audience", audience);
  const client = openHttpClient({ proxy, timeoutMs: 10_000, maxResponseBytes: maxCredentialBytes });
  try {
    const headers = { authorization: `Bearer ${assertHeaderValue(token, "request token")}` };
    const { status, text } = await client.send(url, { headers });
    const { value } = status === 200 ? (JSON.parse(text) as { value?: unknown }) : {};
    if (typeof value === "string" && value !== "") return value;
  } catch {
    // Drops the error, because parts of it may be secret.
  } finally {
    await client.close();
  }
  throw noToken;
}

/**
 * Rejects a value that an HTTP header cannot contain. The HTTP client would also reject it, but show it in the error.
 */
export function assertHeaderValue(value: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new SourceProblem(
    "failed",
    `cannot be read: the ${what} is empty or contains spaces or special characters. Correct it.`,
  );
}
