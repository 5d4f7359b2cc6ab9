import { HttpError } from "../../../base/http/index.js";
import {
  findCause,
  malformed,
  notFound,
  refused,
  SourceProblem,
  tooLong,
  unreachable,
} from "../source-error.js";
import type { SourceContext } from "../source-kind.js";
import { OtherHostError, RequestDeniedError } from "./transport.js";

/** Codes of a denial that no right of the identity helps against. */
const otherDenials = new Map([
  ["SecretDisabled", "is disabled. Enable its version, or write a new one."],
  ...["ForbiddenByFirewall", "ForbiddenByConnection"].map(
    (reason) =>
      [
        reason,
        "cannot be read: the network rules of the vault do not let this machine in. Change them, or run where they allow it.",
      ] as const,
  ),
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
  if (thrown instanceof OtherHostError)
    return malformed("cannot be read: the vault's response names another address.");
  const login = loginErrorIn(thrown);
  if (login) return toLoginError(login);
  const connection = findCause(thrown, HttpError);
  if (connection?.code === "too-long")
    return tooLong("cannot be read: the response is longer than any from Azure Key Vault.");
  if (connection)
    return unreachable(
      "cannot be read: Azure Key Vault does not respond. Check the name of the vault, the network and the proxy.",
    );
  if (thrown instanceof RequestDeniedError) {
    return refused(
      otherDenials.get(thrown.reason) ??
        "cannot be read: the identity has no right to its value. It needs Microsoft.KeyVault/vaults/secrets/getSecret/action, for example by the role Key Vault Secrets User, or with access policies the secret permission Get. To plan what was applied before, Key Vault Reader or List is enough.",
    );
  }
  const status = Number((thrown as { readonly statusCode?: unknown }).statusCode ?? 0);
  if (status === 401)
    return refused(
      "cannot be read: the vault does not accept the login. Check that AZURE_TENANT_ID is the tenant of the vault.",
    );
  if (status === 404)
    return notFound(
      "does not exist. Correct its name or version, or create it; a deleted secret can be recovered.",
    );
  if (status === 429 || status >= 500)
    return unreachable(`cannot be read: the vault responds with status ${status}.`);
  if (status === 400) return refused("cannot be read: the vault refuses the request (status 400).");
  return notKeyVault();
}

export function notKeyVault(): Error {
  return malformed(
    "cannot be read: the response is not from Azure Key Vault. Check the address of the vault and the proxy.",
  );
}

/** The SDK's names of errors of a login. */
const loginErrors = new Set([
  "AggregateAuthenticationError",
  "AuthenticationError",
  "AuthenticationRequiredError",
  "CredentialUnavailableError",
]);

function loginErrorIn(thrown: unknown): Error | undefined {
  return thrown instanceof Error && loginErrors.has(thrown.name) ? thrown : undefined;
}

function toLoginError(thrown: Error): Error {
  const refusals = [thrown, ...errorsIn(thrown)].filter(({ name }) => name === "AuthenticationError");
  const [refusal] = refusals;
  if (!refusal) {
    return refused(
      "cannot be read: there is no login for Azure. In CI, set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_FEDERATED_TOKEN_FILE (workload identity), or sign in with azure/login; elsewhere run `az login`.",
    );
  }
  const { statusCode, errorResponse } = refusal as {
    statusCode?: unknown;
    errorResponse?: { errorCodes?: unknown };
  };
  if (Number(statusCode) >= 500 || Number(statusCode) === 429)
    return unreachable("cannot be read: Microsoft Entra ID is not available now.");
  const [number] = [errorResponse?.errorCodes].flat();
  const code = Number.isSafeInteger(number) ? ` (AADSTS${Number(number)})` : "";
  return refused(
    `cannot be read: Microsoft Entra ID refuses the login${code}. Check the application, its tenant and its federated credentials, or run \`az login\` again.`,
  );
}

function errorsIn(thrown: Error): readonly Error[] {
  const { errors } = thrown as { errors?: unknown };
  return Array.isArray(errors) ? errors.filter((one) => one instanceof Error) : [];
}
