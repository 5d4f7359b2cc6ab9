import { randomUUID } from "node:crypto";
import { type Answer, type Asked, type StandIn, startStandIn } from "./server.js";

/*
 * Azure Key Vault's secrets, and the managed identity of App Service, from Microsoft's REST reference (api-version
 * 2025-07-01) and its pages "Authentication, requests and responses" and "Azure Key Vault REST API error codes".
 */

/** One version of a secret. Times are in seconds. */
export interface StoredVersion {
  readonly id: string;
  readonly value: string;
  enabled: boolean;
  created: number;
  nbf?: number;
  exp?: number;
}

export interface AzureStandIn extends StandIn {
  /** Adds a version; the latest one is the current one. */
  put(secret: string, value: string, more?: Partial<StoredVersion>): StoredVersion;
  remove(secret: string): void;
  /** What the identity may do; changed by tests. */
  readonly rights: Set<"getSecret" | "readMetadata">;
  /** How often it was asked, with a token. */
  readonly asked: { values: number; versions: number };
  /** `innererror` of a 403. */
  denial: string;
  /** The token that the identity has, and the vault wants. */
  token: string;
  /** Variables with which the SDK finds the identity. */
  readonly environment: Readonly<Record<string, string>>;
}

/** One for all: the SDK keeps it for the life of the process. */
const token = `token-${randomUUID()}`;

export async function startAzure(): Promise<AzureStandIn> {
  const secrets = new Map<string, StoredVersion[]>();
  const identityHeader = randomUUID();
  let created = 1_700_000_000;

  function answer(asked: Asked): Answer {
    const { url, headers } = asked;
    if (url.pathname === "/msi/token") return identity(asked);
    if (headers.authorization !== `Bearer ${vault.token}`) {
      const challenge = `Bearer authorization="https://login.microsoftonline.com/${tenant}", resource="https://vault.azure.net"`;
      return {
        ...problem(401, "Unauthorized", "AKV10000: Request is missing a Bearer or PoP token."),
        headers: { "www-authenticate": challenge },
      };
    }
    if (!url.searchParams.has("api-version")) return problem(400, "BadParameter", "api-version is missing.");
    const [, collection, name = "", version, ...rest] = url.pathname.split("/");
    if (collection !== "secrets" || rest.length > 0) return problem(404, "NotFound", "No such path.");
    const versions = secrets.get(name) ?? [];
    return version === "versions" ? list(url, name, versions) : get(name, versions, version);
  }

  function identity({ url, headers }: Asked): Answer {
    if (headers["x-identity-header"] !== identityHeader) return { status: 401, body: { statusCode: 401 } };
    const expires = Math.floor(Date.now() / 1000) + 24 * 3600;
    const resource = url.searchParams.get("resource");
    return {
      status: 200,
      body: { access_token: vault.token, expires_on: String(expires), resource, token_type: "Bearer" },
    };
  }

  function list(url: URL, name: string, versions: readonly StoredVersion[]): Answer {
    vault.asked.versions += 1;
    if (!vault.rights.has("readMetadata")) return denied();
    // Pages of two, oldest last: the order is not promised.
    const from = Number(url.searchParams.get("$skiptoken") ?? 0);
    const next = new URL(url);
    next.searchParams.set("$skiptoken", String(from + 2));
    const value = versions
      .slice(from, from + 2)
      .map((one) => ({ id: idOf(name, one), attributes: attributesOf(one) }));
    return { status: 200, body: { value, nextLink: from + 2 < versions.length ? next.href : null } };
  }

  function get(name: string, versions: readonly StoredVersion[], version = ""): Answer {
    vault.asked.values += 1;
    if (!vault.rights.has("getSecret")) return denied();
    const found = version === "" ? versions.at(-1) : versions.find(({ id }) => id === version);
    if (!found)
      return problem(
        404,
        "SecretNotFound",
        `A secret with (name/id) ${name} was not found in this key vault.`,
      );
    if (!found.enabled)
      return problem(
        403,
        "Forbidden",
        "Operation get is not allowed on a disabled secret.",
        "SecretDisabled",
      );
    return {
      status: 200,
      body: { value: found.value, id: idOf(name, found), attributes: attributesOf(found) },
    };
  }

  function denied(): Answer {
    return problem(
      403,
      "Forbidden",
      `Caller is not authorized to perform action; token ${vault.token}`,
      vault.denial,
    );
  }

  function idOf(name: string, { id }: StoredVersion): string {
    return `${vault.url}/secrets/${name}/${id}`;
  }

  const server = await startStandIn(
    answer,
    ({ url, headers }) => url.pathname !== "/msi/token" && headers.authorization !== undefined,
  );
  const vault: AzureStandIn = Object.assign(server, {
    rights: new Set<"getSecret" | "readMetadata">(["getSecret", "readMetadata"]),
    asked: { values: 0, versions: 0 },
    denial: "ForbiddenByRbac",
    token,
    environment: {
      AZURE_TOKEN_CREDENTIALS: "ManagedIdentityCredential",
      IDENTITY_ENDPOINT: `${server.url}/msi/token`,
      IDENTITY_HEADER: identityHeader,
    },
    remove: (secret: string) => void secrets.delete(secret),
    put(secret: string, value: string, given: Partial<StoredVersion> = {}) {
      created += 1;
      const version: StoredVersion = {
        id: randomUUID().replaceAll("-", ""),
        value,
        enabled: true,
        created,
        ...given,
      };
      secrets.set(secret, [...(secrets.get(secret) ?? []), version]);
      return version;
    },
  });
  return vault;
}

const tenant = "1f0a4e0a-4c8e-4b0e-9f51-0d6bb1a4c0de";

function attributesOf({ enabled, created, nbf, exp }: StoredVersion) {
  const dates = { ...(nbf === undefined ? {} : { nbf }), ...(exp === undefined ? {} : { exp }) };
  return {
    enabled,
    created,
    updated: created,
    ...dates,
    recoveryLevel: "Recoverable+Purgeable",
    recoverableDays: 90,
  };
}

function problem(status: number, code: string, message: string, inner?: string): Answer {
  return {
    status,
    body: { error: { code, message, ...(inner === undefined ? {} : { innererror: { code: inner } }) } },
  };
}
