import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Answer, type ReceivedRequest, type StandIn, startStandIn } from "./server.js";

/*
 * Simulates Google Secret Manager over REST and the token exchange of workload identity federation, following
 * Google's references.
 */

export interface GoogleStandIn extends StandIn {
  put(secret: string, value: string, state?: "enabled" | "disabled" | "destroyed"): void;
  remove(secret: string): void;
  /** Version numbers by secret and alias. */
  readonly aliases: Map<string, number>;
  readonly rights: Set<"versions.access" | "versions.get">;
  /** JWT that the exchange accepts. */
  jwt: string;
  readonly token: string;
  readonly environment: Readonly<Record<string, string>>;
}

const token = `token-${randomUUID()}`;
const audience = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/providers/gitlab";

export async function startGoogle(): Promise<GoogleStandIn> {
  const secrets = new Map<string, { value: string; state: string }[]>();
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-google-"));
  const jwtFile = path.join(folder, "jwt");

  function answer({ url, headers, body }: ReceivedRequest): Answer {
    if (url.pathname === "/sts/v1/token") {
      const form = new URLSearchParams(body);
      const wanted = [google.jwt, audience, "urn:ietf:params:oauth:grant-type:token-exchange"];
      const given = ["subject_token", "audience", "grant_type"].map((name) => form.get(name));
      const error_description = `The subject token is not valid: ${given[0]}`;
      if (given.some((one, at) => one !== wanted[at]))
        return { status: 400, body: { error: "invalid_grant", error_description } };
      const issued_token_type = "urn:ietf:params:oauth:token-type:access_token";
      const lasts = { token_type: "Bearer", expires_in: 3600 };
      return { status: 200, body: { access_token: token, issued_token_type, ...lasts } };
    }
    if (headers.authorization !== `Bearer ${token}`)
      return createProblem(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
    const named = /^\/v1\/(projects\/[^/]+\/secrets\/[^/]+)\/versions\/([^/:]+)(:access)?$/.exec(
      url.pathname,
    );
    if (!named) return { status: 404, body: "<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>" };
    const [, secret = "", version = "", access] = named;
    const right = access ? "versions.access" : "versions.get";
    const denied = `Permission 'secretmanager.${right}' denied for resource '${secret}' (or it may not exist). ${token}`;
    if (!google.rights.has(right)) return createProblem(403, "PERMISSION_DENIED", denied);
    const versions = secrets.get(secret) ?? [];
    const number =
      version === "latest"
        ? versions.length
        : (google.aliases.get(`${secret} ${version}`) ?? Number(version));
    const found = versions[number - 1];
    if (!found) return createProblem(404, "NOT_FOUND", `Secret [${secret}] not found or has no versions.`);
    const name = `${secret}/versions/${number}`;
    const state = found.state.toUpperCase();
    if (!access)
      return { status: 200, body: { name, createTime: "2026-01-01T00:00:00Z", state, etag: '"1"' } };
    return state === "ENABLED"
      ? { status: 200, body: { name, payload: { data: Buffer.from(found.value).toString("base64") } } }
      : createProblem(400, "FAILED_PRECONDITION", `Secret Version [${name}] is in ${state} state.`);
  }

  const server = await startStandIn(answer, ({ url }) => url.pathname.startsWith("/v1/"));
  const { close } = server;
  const credentials = path.join(folder, "credentials.json");
  const google: GoogleStandIn = Object.assign(server, {
    rights: new Set<"versions.access" | "versions.get">(["versions.access", "versions.get"]),
    ...{ aliases: new Map<string, number>(), jwt: `jwt-${randomUUID()}`, token },
    environment: { GOOGLE_APPLICATION_CREDENTIALS: credentials, METADATA_SERVER_DETECTION: "none" },
    remove: (secret: string) => void secrets.delete(secret),
    put: (secret: string, value: string, state = "enabled") =>
      void secrets.set(secret, [...(secrets.get(secret) ?? []), { value, state }]),
    async close() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  });
  await writeFile(jwtFile, google.jwt);
  // Content that `gcloud iam workload-identity-pools create-cred-config` writes, except for the address.
  const federation = {
    ...{ type: "external_account", audience, subject_token_type: "urn:ietf:params:oauth:token-type:jwt" },
    ...{ token_url: `${server.url}/sts/v1/token`, credential_source: { file: jwtFile } },
  };
  await writeFile(credentials, JSON.stringify(federation));
  return google;
}

function createProblem(code: number, status: string, message: string): Answer {
  return { status: code, body: { error: { code, message, status } } };
}
