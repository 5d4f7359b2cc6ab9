import { createHash } from "node:crypto";
import { isMapping } from "../../../../base/text/index.js";
import type { JsonResponse } from "../../json-api.js";
import { failed, malformed, notFound, refused, unreadable } from "../../source-error.js";
import type { VaultClient } from "./client.js";
import type { VaultFields } from "./settings.js";

/** Where a secret is in a KV secrets engine. */
interface SecretPath {
  /** Path of the secrets engine, without a final slash. */
  readonly mount: string;
  /** Below the mount. */
  readonly path: string;
  readonly kv: 1 | 2;
}

/** The value of a field, and the secret's version, which KV version 1 does not have. */
export async function readField(
  vault: VaultClient,
  fields: VaultFields,
): Promise<{ readonly value: string; readonly version?: string }> {
  const place = await findSecret(vault, fields);
  const api = place.kv === 1 ? apiPath(place) : apiPath(place, "data");
  const response = await vault.ask(encode(api));
  const data = objectIn(response.body, "data");
  if (place.kv === 1) {
    refuse(response, { place, api });
    return { value: valueIn(data, fields) };
  }
  const metadata = objectIn(data, "metadata");
  if (response.status === 404) refuseRemoved(metadata, place);
  refuse(response, { place, api });
  const version = Number(metadata?.version);
  return { value: valueIn(objectIn(data, "data"), fields), version: versionText(version, metadata) };
}

/**
 * The version of a secret, by its metadata alone. Undefined if KV version 1 has none, or the token no right on it: then
 * the value tells.
 */
export async function readVersion(
  vault: VaultClient,
  fields: VaultFields,
  nowMs: number,
): Promise<string | undefined> {
  const place = await findSecret(vault, fields);
  if (place.kv === 1) return undefined;
  const api = apiPath(place, "metadata");
  const response = await vault.ask(encode(api));
  if (response.status === 403) return undefined;
  refuse(response, { place });
  const data = objectIn(response.body, "data");
  const version = Number(data?.current_version);
  const metadata = objectIn(objectIn(data, "versions"), String(version));
  // Metadata may be there without any version.
  if (!metadata) throw absent(place);
  refuseRemoved({ ...metadata, version }, place, nowMs);
  return versionText(version, metadata);
}

/**
 * A secret that was removed for good and written again starts at version 1 again: the time of its creation tells them
 * apart, in short. It is the same one beside the value and in the metadata.
 */
function versionText(version: number, metadata: Readonly<Record<string, unknown>> | undefined): string {
  const created = metadata?.created_time;
  if (Number.isSafeInteger(version) && typeof created === "string")
    return `${version}-${createHash("sha256").update(created).digest("hex").slice(0, 8)}`;
  throw notKv();
}

async function findSecret(vault: VaultClient, fields: VaultFields): Promise<SecretPath> {
  const whole = withoutSlashes(fields.path);
  // It must name something below `/v1/`, and nothing beside it.
  if (whole.split("/").some((part) => part === "" || part === "." || part === "..")) {
    throw failed(
      "cannot be read: its path is malformed. Write it like kv/llm, without empty parts, `.` and `..`.",
    );
  }
  const response = await vault.ask(`sys/internal/ui/mounts/${encode(whole)}`);
  if (response.status === 403 || response.status === 404) {
    const [mount = "", ...rest] = whole.split("/");
    throw refused(
      `cannot be read: no policy of the token allows access to it, or there is no secrets engine at this path. Its policy must allow it, for example by path "${mount}/data/${rest.join("/")}" { capabilities = ["read"] }.`,
    );
  }
  refuse(response);
  const data = objectIn(response.body, "data");
  const { path: mountPath, type } = data ?? {};
  if (typeof mountPath !== "string" || !`${whole}/`.startsWith(mountPath)) throw notKv();
  const found = withoutSlashes(mountPath);
  const inMount = whole.slice(found.length + 1);
  const isKv = type === "kv" || type === "generic";
  if (!isKv || inMount === "") {
    throw failed(
      "cannot be read: its path is not that of a secret in a KV secrets engine. Write it like kv/llm.",
    );
  }
  return { mount: found, path: inMount, kv: objectIn(data, "options")?.version === "2" ? 2 : 1 };
}

function apiPath({ mount, path }: SecretPath, part?: "data" | "metadata"): string {
  return part ? `${mount}/${part}/${path}` : `${mount}/${path}`;
}

function encode(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function withoutSlashes(path: string): string {
  return path.replace(/^\//, "").replace(/\/$/, "");
}

/**
 * `api`: the path of the API, as policies name it.
 *
 * @throws SourceProblem for a response other than 200.
 */
function refuse({ status }: JsonResponse, { place, api }: { place?: SecretPath; api?: string } = {}): void {
  if (status === 200) return;
  if (status === 403 && place && api !== undefined) {
    const forPlans =
      place.kv === 1
        ? ""
        : ` For a plan of what was applied before, it is enough on ${apiPath(place, "metadata")}.`;
    throw refused(
      `cannot be read: the token may not read its value. Its policy needs path "${api}" { capabilities = ["read"] }.${forPlans}`,
    );
  }
  if (status === 404 && place) throw absent(place);
  throw failed(`cannot be read: Vault responds with status ${status}.`);
}

function absent({ mount, path }: SecretPath): Error {
  return notFound(
    `does not exist. Write it (\`vault kv put -mount=${mount} ${path} …\`), or correct the path, in which the \`data/\` of the API is left out.`,
  );
}

/** @throws SourceProblem if the version was deleted by `now`, in ms, or destroyed. */
function refuseRemoved(
  metadata: Readonly<Record<string, unknown>> | undefined,
  { mount, path }: SecretPath,
  now = Number.POSITIVE_INFINITY,
): void {
  const { version, destroyed, deletion_time: deleted } = metadata ?? {};
  // A time to come is when it will be deleted.
  const isDeleted = typeof deleted === "string" && deleted !== "" && !(Date.parse(deleted) > now);
  if (destroyed !== true && !isDeleted) return;
  const how =
    destroyed === true
      ? "destroyed, which is final: write"
      : `deleted. Restore it (\`vault kv undelete -mount=${mount} -versions=${Number(version)} ${path}\`), or write`;
  throw notFound(`has no value: version ${Number(version)} was ${how} a new one.`);
}

function valueIn(data: Readonly<Record<string, unknown>> | undefined, { field }: VaultFields): string {
  if (!data) throw notKv();
  if (!Object.hasOwn(data, field)) {
    throw notFound(
      "does not exist: the secret has no such field. Correct its name, which is written in upper and lower case as in Vault, or write it.",
    );
  }
  const value = data[field];
  if (typeof value === "string") return value;
  throw unreadable("is not a text: it is a number, a list or an object. Write it as a text.");
}

function objectIn(
  from: Readonly<Record<string, unknown>> | undefined,
  name: string,
): Readonly<Record<string, unknown>> | undefined {
  const found = from && Object.hasOwn(from, name) ? from[name] : undefined;
  return isMapping(found) ? found : undefined;
}

function notKv(): Error {
  return malformed("cannot be read: the response is not a secret of a KV engine. Check the address.");
}
