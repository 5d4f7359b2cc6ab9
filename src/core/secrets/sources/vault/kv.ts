import { createHash } from "node:crypto";
import { isMapping } from "../../../../base/text/index.js";
import type { JsonResponse } from "../../json-api.js";
import { SourceProblem } from "../../source-error.js";
import type { VaultClient } from "./client.js";
import type { VaultFields } from "./settings.js";

/** Location of a secret in a KV secrets engine. */
interface SecretPath {
  /** Path to the secrets engine, without a trailing slash. */
  readonly mount: string;
  /** Path to the secret below the mount. */
  readonly path: string;
  readonly kv: 1 | 2;
}

/** Reads a field's value and the secret's version. KV version 1 has no versions. */
export async function readSecretField(
  vault: VaultClient,
  fields: VaultFields,
): Promise<{ readonly value: string; readonly version?: string }> {
  const secret = await findSecret(vault, fields);
  const api = secret.kv === 1 ? buildApiPath(secret) : buildApiPath(secret, "data");
  const response = await vault.ask(encode(api));
  const data = getObject(response.body, "data");
  if (secret.kv === 1) {
    assertOk(response, { secret, api });
    return { value: readValue(data, fields) };
  }
  const metadata = getObject(data, "metadata");
  if (response.status === 404) assertNotRemoved(metadata, secret);
  assertOk(response, { secret, api });
  const version = Number(metadata?.version);
  return { value: readValue(getObject(data, "data"), fields), version: formatVersion(version, metadata) };
}

/**
 * Reads a secret's version from its metadata. Returns undefined for KV version 1, which has no versions, and if access
 * to the metadata is denied, because the version is then read together with the value.
 */
export async function readVersion(
  vault: VaultClient,
  fields: VaultFields,
  nowMs: number,
): Promise<string | undefined> {
  const secret = await findSecret(vault, fields);
  if (secret.kv === 1) return undefined;
  const api = buildApiPath(secret, "metadata");
  const response = await vault.ask(encode(api));
  if (response.status === 403) return undefined;
  assertOk(response, { secret });
  const data = getObject(response.body, "data");
  const version = Number(data?.current_version);
  const metadata = getObject(getObject(data, "versions"), String(version));
  // Metadata can exist for a secret without versions.
  if (!metadata) throw createAbsentError(secret);
  assertNotRemoved({ ...metadata, version }, secret, nowMs);
  return formatVersion(version, metadata);
}

/**
 * Combines the version with a short digest of its creation time, because a secret that was destroyed and written again
 * restarts at version 1. Reading the value and reading the metadata return the same creation time.
 */
function formatVersion(version: number, metadata: Readonly<Record<string, unknown>> | undefined): string {
  const created = metadata?.created_time;
  if (Number.isSafeInteger(version) && typeof created === "string")
    return `${version}-${createHash("sha256").update(created).digest("hex").slice(0, 8)}`;
  throw createNotKvError();
}

async function findSecret(vault: VaultClient, fields: VaultFields): Promise<SecretPath> {
  const whole = trimSlashes(fields.path);
  // The path must stay below `/v1/`.
  if (whole.split("/").some((part) => part === "" || part === "." || part === "..")) {
    throw new SourceProblem(
      "failed",
      "cannot be read: its path is malformed. Write it like kv/llm, without empty parts, `.` or `..`.",
    );
  }
  const response = await vault.ask(`sys/internal/ui/mounts/${encode(whole)}`);
  if (response.status === 403 || response.status === 404) {
    const [mount = "", ...rest] = whole.split("/");
    throw new SourceProblem(
      "refused",
      `cannot be read: the token's policies deny access, or no secrets engine is mounted at this path. Allow access in a policy, for example with path "${mount}/data/${rest.join("/")}" { capabilities = ["read"] }.`,
    );
  }
  assertOk(response);
  const data = getObject(response.body, "data");
  const { path: mountPath, type } = data ?? {};
  if (typeof mountPath !== "string" || !`${whole}/`.startsWith(mountPath)) throw createNotKvError();
  const found = trimSlashes(mountPath);
  const inMount = whole.slice(found.length + 1);
  const isKv = type === "kv" || type === "generic";
  if (!isKv || inMount === "") {
    throw new SourceProblem(
      "failed",
      "cannot be read: its path does not lead to a secret in a KV secrets engine. Write it like kv/llm.",
    );
  }
  return { mount: found, path: inMount, kv: getObject(data, "options")?.version === "2" ? 2 : 1 };
}

function buildApiPath({ mount, path }: SecretPath, part?: "data" | "metadata"): string {
  return part ? `${mount}/${part}/${path}` : `${mount}/${path}`;
}

function encode(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function trimSlashes(path: string): string {
  return path.replace(/^\//, "").replace(/\/$/, "");
}

/**
 * Checks the status. `api` is the API path as used in policies.
 *
 * @throws SourceProblem for a response other than 200.
 */
function assertOk(
  { status }: JsonResponse,
  { secret, api }: { secret?: SecretPath; api?: string } = {},
): void {
  if (status === 200) return;
  if (status === 403 && secret && api !== undefined) {
    const forPlans =
      secret.kv === 1 ? "" : ` To plan unchanged secrets, ${buildApiPath(secret, "metadata")} is enough.`;
    throw new SourceProblem(
      "refused",
      `cannot be read: the token lacks permission to read the secret's value. Its policy needs path "${api}" { capabilities = ["read"] }.${forPlans}`,
    );
  }
  if (status === 404 && secret) throw createAbsentError(secret);
  throw new SourceProblem("failed", `cannot be read: Vault responded with status ${status}.`);
}

function createAbsentError({ mount, path }: SecretPath): Error {
  return new SourceProblem(
    "not-found",
    `does not exist. Write it (\`vault kv put -mount=${mount} ${path} …\`), or correct the path (without the API's \`data/\`).`,
  );
}

/** @throws SourceProblem if the version was destroyed, or deleted before `now` (ms). */
function assertNotRemoved(
  metadata: Readonly<Record<string, unknown>> | undefined,
  { mount, path }: SecretPath,
  now = Number.POSITIVE_INFINITY,
): void {
  const { version, destroyed, deletion_time: deleted } = metadata ?? {};
  // A time in the future is a scheduled deletion.
  const isDeleted = typeof deleted === "string" && deleted !== "" && !(Date.parse(deleted) > now);
  if (destroyed !== true && !isDeleted) return;
  const removal =
    destroyed === true
      ? "destroyed permanently. Write"
      : `deleted. Restore it (\`vault kv undelete -mount=${mount} -versions=${Number(version)} ${path}\`), or write`;
  throw new SourceProblem("not-found", `has no value: version ${Number(version)} was ${removal} a new one.`);
}

function readValue(data: Readonly<Record<string, unknown>> | undefined, { field }: VaultFields): string {
  if (!data) throw createNotKvError();
  if (!Object.hasOwn(data, field)) {
    throw new SourceProblem(
      "not-found",
      "does not exist: the secret has no such field. Correct the field name (case-sensitive), or add the field to the secret.",
    );
  }
  const value = data[field];
  if (typeof value === "string") return value;
  throw new SourceProblem("unreadable", "is a number, a list or an object. Store it as a string.");
}

function getObject(
  from: Readonly<Record<string, unknown>> | undefined,
  name: string,
): Readonly<Record<string, unknown>> | undefined {
  const found = from && Object.hasOwn(from, name) ? from[name] : undefined;
  return isMapping(found) ? found : undefined;
}

function createNotKvError(): Error {
  return new SourceProblem(
    "malformed",
    "cannot be read: the response is not a KV secret. Check VAULT_ADDR, or the field `address`.",
  );
}
