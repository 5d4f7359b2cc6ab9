import type { SecretClientOptions } from "@azure/keyvault-secrets";
import { HttpError, openHttpClient, type ProxyOptions } from "../../../base/http/index.js";
import { toConnectionProblem } from "../json-api.js";
import { findCause, SourceProblem } from "../source-error.js";
import type { SourceContext } from "../source-kind.js";

/** Denials that more permissions would not fix, by error code. */
const otherDenials = new Map([
  ["SecretDisabled", "is disabled. Enable it, or create a new version."],
  [
    "ForbiddenByFirewall",
    "cannot be read: the vault's network rules do not allow this machine. Change the rules.",
  ],
  [
    "ForbiddenByConnection",
    "cannot be read: the vault's network rules do not allow this machine. Change the rules.",
  ],
]);

/** Returns whether the identity lacks permission for the request. */
export function isDenied(thrown: unknown): boolean {
  return thrown instanceof RequestDeniedError && !otherDenials.has(thrown.reason);
}

/**
 * Explains an SDK error. Uses only known codes, because the message may contain the response.
 */
export function toAzureError(thrown: unknown, { signal }: SourceContext): unknown {
  if (thrown instanceof SourceProblem) return thrown;
  if (signal.aborted) return signal.reason;
  if (thrown instanceof Error && loginErrors.has(thrown.name)) return toLoginError(thrown);
  const connection = findCause(thrown, HttpError);
  if (connection) return toConnectionProblem(connection, { title: "Azure Key Vault", advice });
  if (thrown instanceof RequestDeniedError) {
    return new SourceProblem(
      "refused",
      otherDenials.get(thrown.reason) ??
        "cannot be read: the identity lacks permission to read the secret's value. Grant Microsoft.KeyVault/vaults/secrets/getSecret/action, for example with the role Key Vault Secrets User, or the access policy permission Get. To plan unchanged secrets, Key Vault Reader or List is enough.",
    );
  }
  const status = Number((thrown as { readonly statusCode?: unknown }).statusCode ?? 0);
  if (status === 404)
    return new SourceProblem(
      "not-found",
      "does not exist. Correct its name or version, create it, or recover it if it was deleted.",
    );
  if (status === 429 || status >= 500)
    return new SourceProblem("unreachable", `cannot be read: the vault responded with status ${status}.`);
  if (status === 400 || status === 401)
    return new SourceProblem(
      "refused",
      `cannot be read: the vault rejected the request (status ${status}). Check that AZURE_TENANT_ID is the vault's tenant.`,
    );
  return createNotKeyVaultError();
}

export function createNotKeyVaultError(): Error {
  return new SourceProblem(
    "malformed",
    `cannot be read: the response is not from Azure Key Vault. ${advice}`,
  );
}

const advice = "Check the vault's name or URL, the network and the proxy.";

/** Names of the SDK's login errors. */
const loginErrors = new Set([
  "AggregateAuthenticationError",
  "AuthenticationError",
  "AuthenticationRequiredError",
  "CredentialUnavailableError",
]);

function toLoginError(thrown: Error): Error {
  const all = [thrown, ...[(thrown as { errors?: unknown }).errors].flat()];
  const refusal = all.find((one) => one instanceof Error && one.name === "AuthenticationError");
  const { statusCode } = Object(refusal) as { statusCode?: unknown };
  if (Number(statusCode) >= 500 || Number(statusCode) === 429)
    return new SourceProblem("unreachable", "cannot be read: Microsoft Entra ID is unavailable.");
  const reason = refusal ? "Microsoft Entra ID rejected the login" : "no Azure login was found";
  return new SourceProblem(
    "refused",
    `cannot be read: ${reason}. In CI, set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_FEDERATED_TOKEN_FILE (workload identity), or sign in with azure/login, and check the application's federated credentials. Elsewhere, run \`az login\`.`,
  );
}

type SdkTransport = NonNullable<SecretClientOptions["httpClient"]>;
type SdkHeaders = Awaited<ReturnType<SdkTransport["sendRequest"]>>["headers"];

/** Sends the SDK's requests with our HTTP client, which uses the environment's proxies and limits responses. */
interface AzureTransport extends SdkTransport {
  close(): Promise<void>;
}

/** Maximum response size. A secret has at most 25 KB, and a page of versions a little more. */
const maxResponseBytes = 2_000_000;
/** Azure's metadata endpoint, which proxies cannot reach. */
const metadataHost = "169.254.169.254";

/**
 * Opens a transport. If `origin` is given, refuses to send requests elsewhere, because the URL of the next page comes
 * from the response.
 */
export function openTransport(proxy: ProxyOptions, origin?: string): AzureTransport {
  const direct = { ...proxy, no: [proxy.no, metadataHost].filter(Boolean).join(",") };
  const client = openHttpClient({ proxy: direct, timeoutMs: 30_000, maxResponseBytes });
  return {
    async sendRequest(request) {
      const { url, method, headers, body, abortSignal, timeout } = request;
      if (origin !== undefined && new URL(url).origin !== origin)
        throw new SourceProblem("malformed", "cannot be read: the vault's response links to another server.");
      const limit = timeout > 0 ? AbortSignal.timeout(timeout) : undefined;
      const { status, text, ...response } = await client.send(url, {
        method,
        headers: headers.toJSON(),
        body: typeof body === "string" ? body : null,
        signal: [abortSignal as AbortSignal | undefined, limit].filter((signal) => signal !== undefined),
      });
      if (origin !== undefined && status === 403) throw new RequestDeniedError(readReason(text));
      return { request, status, headers: toSdkHeaders(response.headers), bodyAsText: text };
    },
    close: client.close,
  };
}

/** A denied request. Keeps the reason, which the SDK drops when it reads pages. */
class RequestDeniedError extends Error {
  /** Key Vault's code, such as `ForbiddenByRbac`, or "" if absent. */
  readonly reason: string;

  constructor(reason: string) {
    super("denied");
    this.reason = reason;
  }
}

function readReason(text: string): string {
  try {
    return String(JSON.parse(text).error.innererror.code);
  } catch {
    return "";
  }
}

function toSdkHeaders(all: Readonly<Record<string, string>>): SdkHeaders {
  const headers = new Map(Object.entries(all));
  return {
    get: (name) => headers.get(name.toLowerCase()),
    has: (name) => headers.has(name.toLowerCase()),
    set: (name, value) => void headers.set(name.toLowerCase(), String(value)),
    delete: (name) => void headers.delete(name.toLowerCase()),
    toJSON: () => Object.fromEntries(headers),
    [Symbol.iterator]: () => headers.entries(),
  };
}
