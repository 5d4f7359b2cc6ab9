import path from "node:path";
import { readRegular } from "../../../../base/files/index.js";
import { openHttpClient, type ProxyOptions } from "../../../../base/http/index.js";
import { failed, notSet, unreachable, unreadable } from "../../source-error.js";
import type { SourceContext } from "../../source-kind.js";
import type { VaultLogin } from "./settings.js";

type Variables = Readonly<Record<string, string | undefined>>;

/** A token that is there, or the request that logs in. */
export type Credentials =
  | { readonly token: string }
  | { readonly mount: string; readonly body: Readonly<Record<string, string>> };

/** @throws SourceProblem if they are not where they should be. */
export async function readCredentials(
  login: VaultLogin,
  { environment }: SourceContext,
  proxy: ProxyOptions,
): Promise<Credentials> {
  const { auth: method = "token", role, roleId, jwtFile } = login;
  const mount = login.authMount ?? method;
  switch (method) {
    case "token":
      return { token: await readToken(login, environment) };
    case "approle": {
      if (!roleId) throw missing("the id of the role", "VAULT_ROLE_ID, or the field `role_id`");
      const { secretIdVariable = "VAULT_SECRET_ID" } = login;
      const secretId = readVariable(secretIdVariable, "secret id", environment);
      return { mount, body: { role_id: roleId, secret_id: secretId } };
    }
    case "jwt": {
      const jwt = await readJwt(login, environment, proxy);
      return { mount, body: { ...(role && { role }), jwt } };
    }
    case "kubernetes": {
      if (!role) throw missing("the name of the role", "VAULT_AUTH_ROLE, or the field `role`");
      const jwt = await readJwt({ ...login, jwtFile: jwtFile ?? kubernetesToken }, environment, proxy);
      return { mount, body: { role, jwt } };
    }
    default:
      throw failed("cannot be read: VAULT_AUTH_METHOD is not token, approle, jwt or kubernetes. Correct it.");
  }
}

const kubernetesToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";

function missing(what: string, where: string): Error {
  return notSet(`cannot be read: ${what} to log in with is not given. Set ${where}.`);
}

async function readToken({ tokenVariable }: VaultLogin, environment: Variables): Promise<string> {
  const variables = tokenVariable ? [tokenVariable] : ["VAULT_TOKEN", "BAO_TOKEN"];
  const given = variables.map((name) => environment[name]?.trim()).find(Boolean);
  if (given) return asHeader(given, "token");
  const file = environment.HOME && path.join(environment.HOME, ".vault-token");
  const stored = file && (await readRegular(file, maxCredentialBytes).catch(() => undefined));
  if (stored) return asHeader(Buffer.from(stored).toString().trim(), "token");
  throw notSet(
    `cannot be read: there is no token. Set ${variables[0]}, run \`vault login\`, or have a job log in: \`auth\` is approle, jwt or kubernetes then.`,
  );
}

const onOwnMachine =
  "On your own machine, run `vault login`: for that, leave `auth` out of the files, and set VAULT_AUTH_METHOD in the jobs.";

/** No token or JWT is longer. */
const maxCredentialBytes = 64 * 1024;

function readVariable(name: string, what: string, environment: Variables): string {
  const value = environment[name]?.trim();
  if (value) return value;
  throw notSet(`cannot be read: the ${what} to log in with is missing. In CI, set ${name}. ${onOwnMachine}`);
}

/** What is written in the source, else what GitLab's jobs are given, else what GitHub gives on request. */
async function readJwt(
  { jwtVariable, jwtFile, audience }: VaultLogin,
  environment: Variables,
  proxy: ProxyOptions,
): Promise<string> {
  if (jwtFile && !jwtVariable) return readJwtFile(jwtFile);
  const { ACTIONS_ID_TOKEN_REQUEST_URL, VAULT_ID_TOKEN } = environment;
  if (!jwtVariable && ACTIONS_ID_TOKEN_REQUEST_URL && !VAULT_ID_TOKEN)
    return githubToken(audience, environment, proxy);
  const variable = jwtVariable || "VAULT_ID_TOKEN";
  const value = environment[variable]?.trim();
  if (value) return value;
  throw notSet(
    `cannot be read: the JWT to log in with is missing: ${variable} is not set. On GitLab, name it below \`id_tokens\` of the job; on GitHub, give the job the permission \`id-token: write\`; elsewhere, name a variable or a file (\`jwt_variable\`, \`jwt_file\`). ${onOwnMachine}`,
  );
}

async function readJwtFile(file: string): Promise<string> {
  try {
    const text = Buffer.from(await readRegular(file, maxCredentialBytes))
      .toString()
      .trim();
    if (text !== "") return text;
  } catch {
    // The system's words contain the path, which we say ourselves.
  }
  throw unreadable(
    `cannot be read: the JWT to log in with is not in the file ${file}. Correct its path (\`jwt_file\`), or its permissions.`,
  );
}

/** GitHub's token for this job, for an audience: https://docs.github.com/actions/reference/security/oidc */
async function githubToken(audience: string, environment: Variables, proxy: ProxyOptions): Promise<string> {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: address = "", ACTIONS_ID_TOKEN_REQUEST_TOKEN: token = "" } =
    environment;
  const noToken = unreachable(
    "cannot be read: GitHub gave no JWT to log in with. Give the job the permission `id-token: write`, or try again.",
  );
  if (!URL.canParse(address)) throw noToken;
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
  throw noToken;
}

/** What cannot stand in a header cannot be a token, and an error about a header may show it. */
export function asHeader(value: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw failed(`cannot be read: the ${what} is malformed: it is empty, or has spaces in it.`);
}
