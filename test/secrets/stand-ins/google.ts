import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Answer, type Asked, type StandIn, startStandIn } from "./server.js";

/*
 * Google Secret Manager over REST and the token exchange of workload identity federation, from Google's reference of
 * both.
 */

export interface GoogleVersion {
  readonly number: number;
  readonly value: string;
  state: "enabled" | "disabled" | "destroyed";
}

export interface GoogleStandIn extends StandIn {
  put(secret: string, value: string): GoogleVersion;
  remove(secret: string): void;
  /** An alias of a version. */
  alias(secret: string, alias: string, version: number): void;
  readonly rights: Set<"versions.access" | "versions.get">;
  /** The JWT that the exchange takes. */
  jwt: string;
  readonly token: string;
  readonly environment: Readonly<Record<string, string>>;
}

const token = `token-${randomUUID()}`;

export async function startGoogle(): Promise<GoogleStandIn> {
  const secrets = new Map<string, GoogleVersion[]>();
  const aliases = new Map<string, number>();
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-google-"));
  const jwtFile = path.join(folder, "jwt");

  function answer(asked: Asked): Answer {
    const { url, method, headers } = asked;
    if (url.pathname === "/sts/v1/token") return exchange(asked);
    if (headers.authorization !== `Bearer ${google.token}`)
      return problem(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    const named = /^\/v1\/(projects\/[^/]+\/secrets\/[^/]+)\/versions\/([^/:]+)(:access)?$/.exec(
      url.pathname,
    );
    if (!named || method !== "GET")
      return { status: 404, body: "<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>" };
    const [, secret = "", version = "", access] = named;
    const right = access ? "versions.access" : "versions.get";
    if (!google.rights.has(right)) {
      const message = `Permission 'secretmanager.${right}' denied for resource '${secret}' (or it may not exist). ${google.token}`;
      return problem(403, "PERMISSION_DENIED", message);
    }
    const number =
      version === "latest"
        ? secrets.get(secret)?.at(-1)?.number
        : (aliases.get(`${secret} ${version}`) ?? Number(version));
    const found = secrets.get(secret)?.find((one) => one.number === number);
    if (!found) return problem(404, "NOT_FOUND", `Secret [${secret}] not found or has no versions.`);
    const name = `${secret}/versions/${found.number}`;
    if (!access)
      return {
        status: 200,
        body: { name, createTime: "2026-01-01T00:00:00Z", state: found.state.toUpperCase(), etag: '"1"' },
      };
    if (found.state !== "enabled")
      return problem(
        400,
        "FAILED_PRECONDITION",
        `Secret Version [${name}] is in ${found.state.toUpperCase()} state.`,
      );
    return { status: 200, body: { name, payload: { data: Buffer.from(found.value).toString("base64") } } };
  }

  function exchange({ body }: Asked): Answer {
    const form = new URLSearchParams(body);
    const isOurs = form.get("subject_token") === google.jwt && form.get("audience") === audience;
    if (!isOurs || form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:token-exchange")
      return {
        status: 400,
        body: {
          error: "invalid_grant",
          error_description: `The subject token is not valid: ${form.get("subject_token")}`,
        },
      };
    return {
      status: 200,
      body: {
        access_token: google.token,
        issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
        token_type: "Bearer",
        expires_in: 3600,
      },
    };
  }

  const server = await startStandIn(answer, ({ url }) => url.pathname.startsWith("/v1/"));
  const { close } = server;
  const credentials = path.join(folder, "credentials.json");
  const google: GoogleStandIn = Object.assign(server, {
    rights: new Set<"versions.access" | "versions.get">(["versions.access", "versions.get"]),
    jwt: `jwt-${randomUUID()}`,
    token,
    environment: { GOOGLE_APPLICATION_CREDENTIALS: credentials, METADATA_SERVER_DETECTION: "none" },
    remove: (secret: string) => void secrets.delete(secret),
    put(secret: string, value: string) {
      const versions = secrets.get(secret) ?? [];
      const version: GoogleVersion = { number: versions.length + 1, value, state: "enabled" };
      secrets.set(secret, [...versions, version]);
      return version;
    },
    alias: (secret: string, alias: string, version: number) =>
      void aliases.set(`${secret} ${alias}`, version),
    async close() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  });
  await writeFile(jwtFile, google.jwt);
  await writeFile(credentials, JSON.stringify(federation(jwtFile, server.url)));
  return google;
}

const audience = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/providers/gitlab";

/** As `gcloud iam workload-identity-pools create-cred-config` writes it, but for the address. */
function federation(file: string, url: string) {
  return {
    type: "external_account",
    audience,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: `${url}/sts/v1/token`,
    credential_source: { file },
  };
}

function problem(code: number, status: string, message: string): Answer {
  return { status: code, body: { error: { code, message, status } } };
}
