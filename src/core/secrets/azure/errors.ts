import type { SecretClientOptions } from "@azure/keyvault-secrets";
import { HttpError, openHttpClient, type ProxyOptions } from "../../../base/http/index.js";
import { toConnectionProblem } from "../json-api.js";
import { findCause, malformed, notFound, refused, SourceProblem, unreachable } from "../source-error.js";
import type { SourceContext } from "../source-kind.js";

/** Denials that no right of the identity helps against, by their codes. */
const otherDenials = new Map([
  ["SecretDisabled", "is disabled. Enable its version, or write a new one."],
  ["ForbiddenByFirewall", "cannot be read: the network rules of the vault do not let this machine in."],
  ["ForbiddenByConnection", "cannot be read: the network rules of the vault do not let this machine in."],
]);

/** Whether the identity has no right to what it asked for. */
export function isDenied(thrown: unknown): boolean {
  return thrown instanceof RequestDeniedError && !otherDenials.has(thrown.reason);
}

/**
 * What an error of the SDK means. Its message is not used, because it may contain the response; only codes are, of known
 * forms.
 */
export function toAzureError(thrown: unknown, { signal }: SourceContext): unknown {
  if (thrown instanceof SourceProblem) return thrown;
  if (signal.aborted) return signal.reason;
  if (thrown instanceof Error && loginErrors.has(thrown.name)) return toLoginError(thrown);
  const connection = findCause(thrown, HttpError);
  if (connection) return toConnectionProblem(connection, { title: "Azure Key Vault", advice });
  if (thrown instanceof RequestDeniedError) {
    return refused(
      otherDenials.get(thrown.reason) ??
        "cannot be read: the identity has no right to its value. It needs Microsoft.KeyVault/vaults/secrets/getSecret/action, for example by the role Key Vault Secrets User, or with access policies the secret permission Get. To plan what was applied before, Key Vault Reader or List is enough.",
    );
  }
  const status = Number((thrown as { readonly statusCode?: unknown }).statusCode ?? 0);
  if (status === 404)
    return notFound(
      "does not exist. Correct its name or version, or create it; a deleted secret can be recovered.",
    );
  if (status === 429 || status >= 500)
    return unreachable(`cannot be read: the vault responds with status ${status}.`);
  if (status === 400 || status === 401)
    return refused(
      `cannot be read: the vault refuses the request (status ${status}). Check that AZURE_TENANT_ID is its tenant.`,
    );
  return notKeyVault();
}

export function notKeyVault(): Error {
  return malformed(`cannot be read: the response is not from Azure Key Vault. ${advice}`);
}

const advice = "Check the name or address of the vault, the network and the proxy.";

/** The SDK's names of errors of a login. */
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
    return unreachable("cannot be read: Microsoft Entra ID is not available now.");
  const why = refusal ? "Microsoft Entra ID refuses the login" : "there is no login for Azure";
  return refused(
    `cannot be read: ${why}. In CI, set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_FEDERATED_TOKEN_FILE (workload identity), or sign in with azure/login, and check the application's federated credentials; elsewhere run \`az login\`.`,
  );
}

type SdkTransport = NonNullable<SecretClientOptions["httpClient"]>;
type SdkHeaders = Awaited<ReturnType<SdkTransport["sendRequest"]>>["headers"];

/** Sends what the SDK asks for with our own client: through the proxies, and answers of a bounded length only. */
interface AzureTransport extends SdkTransport {
  close(): Promise<void>;
}

/** A secret has at most 25 KB, a page of versions some more. */
const maxResponseBytes = 2_000_000;
/** The metadata endpoint of a machine in Azure, which no proxy reaches. */
const metadataHost = "169.254.169.254";

/** With `origin`, requests to other addresses are refused: a page of versions names where the next one is. */
export function openTransport(proxy: ProxyOptions, origin?: string): AzureTransport {
  const direct = { ...proxy, no: [proxy.no, metadataHost].filter(Boolean).join(",") };
  const client = openHttpClient({ proxy: direct, timeoutMs: 30_000, maxResponseBytes });
  return {
    async sendRequest(request) {
      const { url, method, headers, body, abortSignal, timeout } = request;
      if (origin !== undefined && new URL(url).origin !== origin)
        throw malformed("cannot be read: the vault's response names another address.");
      const limit = timeout > 0 ? AbortSignal.timeout(timeout) : undefined;
      const { status, text, ...response } = await client.send(url, {
        method,
        headers: headers.toJSON(),
        body: typeof body === "string" ? body : null,
        signal: [abortSignal as AbortSignal | undefined, limit].filter((signal) => signal !== undefined),
      });
      if (origin !== undefined && status === 403) throw new RequestDeniedError(reasonIn(text));
      return { request, status, headers: toSdkHeaders(response.headers), bodyAsText: text };
    },
    close: client.close,
  };
}

/** The vault denies a request. The SDK does not keep why where it reads pages. */
class RequestDeniedError extends Error {
  /** Key Vault's code, empty if there is none: `ForbiddenByRbac`, `SecretDisabled`. */
  readonly reason: string;

  constructor(reason: string) {
    super("denied");
    this.reason = reason;
  }
}

function reasonIn(text: string): string {
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
