import { randomUUID } from "node:crypto";
import { type Answer, type ReceivedRequest, type StandIn, startStandIn } from "./server.js";

/*
 * Simulates Azure Key Vault secrets and the managed identity of App Service, following Microsoft's REST
 * reference (api-version 2025-07-01).
 */

/** Times in seconds. */
interface Attributes {
  readonly enabled: boolean;
  readonly created: number;
}

export interface AzureStandIn extends StandIn {
  /** Adds a version, which becomes the current one, and returns its id. */
  put(secret: string, value: string, attributes?: Partial<Attributes>): string;
  remove(secret: string): void;
  /** Identity permissions, which tests change. */
  readonly rights: Set<"getSecret" | "readMetadata">;
  /** Authenticated requests since the start. */
  readonly asked: ("value" | "versions")[];
  /** `innererror` value in a 403 response. */
  denial: string;
  /** Identity token that the vault accepts. */
  readonly token: string;
  /** Environment variables that point the SDK to the identity. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Shared by all tests, because the SDK caches it until the process ends. */
const token = `token-${randomUUID()}`;
const challenge = `Bearer authorization="https://login.microsoftonline.com/${randomUUID()}", resource="https://vault.azure.net"`;

export async function startAzure(): Promise<AzureStandIn> {
  const secrets = new Map<string, { id: string; value: string; attributes: Attributes }[]>();
  const identityHeader = randomUUID();
  let created = 1_700_000_000;

  function answer({ url, headers }: ReceivedRequest): Answer {
    if (url.pathname === "/msi/token") {
      if (headers["x-identity-header"] !== identityHeader) return { status: 401, body: { statusCode: 401 } };
      const expires_on = String(Math.floor(Date.now() / 1000) + 24 * 3600);
      const resource = url.searchParams.get("resource");
      return { status: 200, body: { access_token: token, expires_on, resource, token_type: "Bearer" } };
    }
    if (headers.authorization !== `Bearer ${token}`) {
      const missing = createProblem(
        401,
        "Unauthorized",
        "AKV10000: Request is missing a Bearer or PoP token.",
      );
      return { ...missing, headers: { "www-authenticate": challenge } };
    }
    if (!url.searchParams.has("api-version"))
      return createProblem(400, "BadParameter", "api-version is missing.");
    const [, collection, name = "", version = "", ...rest] = url.pathname.split("/");
    if (collection !== "secrets" || rest.length > 0) return createProblem(404, "NotFound", "No such path.");
    const asksVersions = version === "versions";
    vault.asked.push(asksVersions ? "versions" : "value");
    if (!vault.rights.has(asksVersions ? "readMetadata" : "getSecret"))
      return createProblem(403, "Forbidden", `Caller is not authorized; token ${token}`, vault.denial);
    const versions = (secrets.get(name) ?? []).map((one) => ({
      ...one,
      id: `${vault.url}/secrets/${name}/${one.id}`,
    }));
    if (asksVersions) {
      // Returns pages of two, oldest first. The service guarantees no order.
      const from = Number(url.searchParams.get("$skiptoken") ?? 0);
      const next = new URL(url);
      next.searchParams.set("$skiptoken", String(from + 2));
      const value = versions.slice(from, from + 2).map(({ id, attributes }) => ({ id, attributes }));
      return { status: 200, body: { value, nextLink: from + 2 < versions.length ? next.href : null } };
    }
    const found = version === "" ? versions.at(-1) : versions.find(({ id }) => id.endsWith(version));
    if (!found) return createProblem(404, "SecretNotFound", `A secret with (name/id) ${name} was not found.`);
    const disabled = "Operation get is not allowed on a disabled secret.";
    return found.attributes.enabled
      ? { status: 200, body: found }
      : createProblem(403, "Forbidden", disabled, "SecretDisabled");
  }

  const server = await startStandIn(
    answer,
    ({ url, headers }) => url.pathname !== "/msi/token" && headers.authorization !== undefined,
  );
  const vault: AzureStandIn = Object.assign(server, {
    rights: new Set<"getSecret" | "readMetadata">(["getSecret", "readMetadata"]),
    ...{ asked: [], denial: "ForbiddenByRbac", token },
    environment: {
      AZURE_TOKEN_CREDENTIALS: "ManagedIdentityCredential",
      IDENTITY_ENDPOINT: `${server.url}/msi/token`,
      IDENTITY_HEADER: identityHeader,
    },
    remove: (secret: string) => void secrets.delete(secret),
    put(secret: string, value: string, given: Partial<Attributes> = {}) {
      created += 1;
      const id = randomUUID().replaceAll("-", "");
      const version = { id, value, attributes: { enabled: true, created, ...given } };
      secrets.set(secret, [...(secrets.get(secret) ?? []), version]);
      return id;
    },
  });
  return vault;
}

function createProblem(status: number, code: string, message: string, inner?: string): Answer {
  return { status, body: { error: { code, message, ...(inner && { innererror: { code: inner } }) } } };
}
