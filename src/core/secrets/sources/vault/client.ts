import path from "node:path";
import { readRegular } from "../../../../base/files/index.js";
import { openHttpClient } from "../../../../base/http/index.js";
import { type JsonResponse, readProxy, requestJson } from "../../json-api.js";
import { SourceProblem } from "../../source-error.js";
import type { SourceContext } from "../../source-kind.js";
import { assertHeaderValue, readCredentials } from "./login.js";
import { readVariable, type VaultServer } from "./settings.js";

/** A client for one server and one identity. All sources in a run share it. */
export interface VaultClient {
  /** Reads an encoded path below `/v1/`. A successful response is cached. @throws SourceProblem */
  ask(path: string): Promise<JsonResponse>;
  /** Drops the cached responses, but keeps the login. */
  forget(): void;
  /** Tries to revoke our login's token, and closes the connections. */
  close(): Promise<void>;
}

interface VaultRequest {
  /** HTTP method. Default: GET, or POST with a body. */
  readonly method?: "POST";
  readonly body?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** Maximum response size. A secret has at most 1 MB by default, and its metadata grows with its versions. */
const maxResponseBytes = 4_000_000;
const revokeTimeoutMs = 2_000;

/** Opens a client, which logs in with its first request. */
export async function openVaultClient(server: VaultServer, context: SourceContext): Promise<VaultClient> {
  const { address, namespace } = server;
  const proxy = readProxy(context);
  const caFile = readVariable(context.environment, "VAULT_CACERT");
  const ca = caFile && (await readCertificates(path.resolve(context.root, caFile)));
  const api = {
    title: `Vault at ${address}`,
    client: openHttpClient({ proxy, ca, idleMs: 60_000, maxResponseBytes }),
    advice: "Check VAULT_ADDR, or the field `address`.",
    trust: "Set VAULT_CACERT to a file with the CA's certificate.",
  };
  const responses = new Map<string, Promise<JsonResponse>>();
  let login: Promise<Login> | undefined;

  const request = (path: string, { method, body, token, signal }: VaultRequest = {}) =>
    requestJson(api, `${address}/v1/${path}`, {
      method: method ?? (body ? "POST" : "GET"),
      body: body && JSON.stringify(body),
      signal,
      headers: {
        // Vault's proxies may require this header, to reject forged requests.
        "x-vault-request": "true",
        ...(body && { "content-type": "application/json" }),
        ...(namespace && { "x-vault-namespace": namespace }),
        ...(token && { "x-vault-token": token }),
      },
    });
  const openLogin = async (): Promise<Login> => {
    const credentials = await readCredentials(server, context, proxy);
    if ("token" in credentials) return { token: credentials.token, isOurs: false };
    const { mount, body } = credentials;
    const path = `auth/${mount.split("/").map(encodeURIComponent).join("/")}/login`;
    const { status, body: response } = await request(path, { body });
    const { client_token: token } = (response.auth ?? {}) as { client_token?: unknown };
    if (status === 200 && typeof token === "string" && token !== "")
      return { token: assertHeaderValue(token, "login token"), isOurs: true };
    if (status === 200) {
      throw new SourceProblem(
        "malformed",
        `cannot be read: the login at ${address} returned no token. Check that the role does not require a second factor.`,
      );
    }
    throw new SourceProblem(
      "refused",
      `cannot be read: Vault at ${address} rejected the login at auth/${mount} (status ${status}). Check that the auth method is enabled there and that the role exists. The role must accept this job's secret id, JWT audience and claims, or service account.`,
    );
  };
  const logIn = () => {
    const attempt = openLogin();
    login = attempt;
    // Remembers a rejected login, because trying again would count as another failed login.
    attempt.catch((error: unknown) => {
      if (error instanceof SourceProblem && error.code === "unreachable") login = undefined;
    });
    return attempt;
  };
  const send = async (path: string) => {
    const used = login ?? logIn();
    const { token, isOurs } = await used;
    const response = await request(path, { token });
    if (!isExpired(response)) return response;
    if (!isOurs)
      throw new SourceProblem(
        "refused",
        `cannot be read: Vault at ${address} rejected the token as unknown or expired. Log in again (\`vault login\`), or set VAULT_TOKEN to a valid one.`,
      );
    // The token expired during the run, for example while the user reviewed the plan.
    const again = await (login === used || !login ? logIn() : login);
    return request(path, { token: again.token });
  };
  return {
    ask(path) {
      const known = responses.get(path);
      if (known) return known;
      const response = send(path);
      responses.set(path, response);
      // The next caller retries after a failure.
      response.catch(() => responses.delete(path));
      return response;
    },
    forget: () => responses.clear(),
    async close() {
      const signal = AbortSignal.timeout(revokeTimeoutMs);
      const late = new Promise<undefined>((resolve) => {
        signal.addEventListener("abort", () => resolve(undefined), { once: true });
      });
      const open = await Promise.race([login?.catch(() => undefined), late]);
      if (open?.isOurs) {
        const revoke = { method: "POST", token: open.token, signal } as const;
        await request("auth/token/revoke-self", revoke).catch(() => undefined);
      }
      await api.client.close();
    },
  };
}

interface Login {
  readonly token: string;
  /** Whether we logged in and must revoke the token. */
  readonly isOurs: boolean;
}

async function readCertificates(file: string): Promise<string> {
  const bytes = await readRegular(file, 1_000_000).catch(() => undefined);
  const text = bytes && Buffer.from(bytes).toString();
  if (text?.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw new SourceProblem(
    "unreadable",
    `cannot be read: ${file} is not a PEM file with certificates. Correct VAULT_CACERT.`,
  );
}

/** Returns whether the token is invalid. Missing permissions cause the same status, but a different message. */
function isExpired({ status, body }: JsonResponse): boolean {
  return (
    status === 403 &&
    Array.isArray(body.errors) &&
    body.errors.some((text) => /\binvalid token\b/.test(String(text)))
  );
}
