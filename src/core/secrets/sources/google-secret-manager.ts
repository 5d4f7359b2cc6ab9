import { isExposed } from "../../../base/http/index.js";
import { googleLogin } from "../google/login.js";
import { getJson, type JsonResponse, propertyIn, textIn } from "../json-api.js";
import { jsonField } from "../json-field.js";
import { malformed, notFound, refused } from "../source-error.js";
import type { FieldsIn, SourceContext, SourceFields, SourceKind } from "../source-kind.js";

const fields = {
  secret: {
    type: "string",
    required: true,
    pattern: /^projects\/[^/]+\/(locations\/[a-z0-9-]+\/)?secrets\/[A-Za-z0-9_-]{1,255}$/,
    description:
      "Resource name of the secret: projects/PROJECT/secrets/NAME, or projects/PROJECT/locations/LOCATION/secrets/NAME for a regional one.",
  },
  version: {
    type: "string",
    pattern: /^[A-Za-z0-9_-]{1,63}$/,
    description: "Number or alias of the version. Default: latest.",
  },
  field: { type: "string", description: "Name of the field, where the secret is a JSON object." },
  endpoint: {
    type: "url",
    description:
      "Address to ask in place of Google's public one, such as a Private Service Connect endpoint.",
  },
} as const satisfies SourceFields;

/** Fields of `!google-secret-manager`. */
export type GoogleSecretManagerFields = FieldsIn<typeof fields>;

/** A secret in Google Secret Manager, over its HTTP interface, with Google's login. */
export const googleSecretManager: SourceKind<GoogleSecretManagerFields> = {
  name: "google-secret-manager",
  title: "Google Secret Manager",
  fields,
  shorthand: {
    example: "!google-secret-manager projects/my-project/secrets/llm#api_key",
    meaning: "the resource name of a secret, or of a version of it",
    read: (written) => (typeof written === "string" ? fieldsIn(written) : undefined),
  },
  check: ({ endpoint }) =>
    endpoint === undefined || isEndpoint(endpoint)
      ? undefined
      : "has an endpoint that is not the address of a server: write it like https://secretmanager-internal.p.googleapis.com",
  describe: ({ secret, version, field }) =>
    `Google secret ${secret}${version === undefined ? "" : `, version ${version}`}${field === undefined ? "" : `, field ${field}`}`,
  packages: ["google-auth-library"],
  rights: {
    value: "secretmanager.versions.access, as in the role Secret Manager Secret Accessor",
    version: "secretmanager.versions.get, as in the role Secret Manager Viewer",
  },
  async read(fields, context) {
    const { status, body } = await ask(fields, ":access", context);
    if (status === 403)
      throw refused(
        "cannot be read: the identity has no right to its value, or the Secret Manager API is not enabled in the project. It needs secretmanager.versions.access, for example by the role Secret Manager Secret Accessor. To plan what was applied before, Secret Manager Viewer is enough.",
      );
    refuse(status, body);
    const data = textIn(propertyIn(body, "payload"), "data");
    if (data === undefined) throw notGoogle();
    const value = Buffer.from(data, "base64");
    const version = versionIn(body);
    return { value: fields.field === undefined ? value : jsonField(value, fields.field), version };
  },
  async version(fields, context) {
    // A numbered version never changes.
    if (/^\d+$/.test(fields.version ?? "")) return fields.version;
    const { status, body } = await ask(fields, "", context);
    // No right to look at versions: then the value has it.
    if (status === 403) return undefined;
    refuse(status, body);
    const state = textIn(body, "state");
    if (state === "DISABLED" || state === "DESTROYED")
      throw refused(`cannot be read: its version is ${state.toLowerCase()}. Add a new one, or enable it.`);
    return versionIn(body);
  },
};

const advice = "Check the network, the proxy and the endpoint.";

/** https://cloud.google.com/secret-manager/docs/reference/rest */
async function ask(
  fields: GoogleSecretManagerFields,
  method: "" | ":access",
  context: SourceContext,
): Promise<JsonResponse> {
  const { secret, version = "latest" } = fields;
  const [, project = ""] = secret.split("/");
  const headers = await (await googleLogin(project, context))();
  const api = { title: "Google Secret Manager", address: addressFor(fields), headers, advice };
  const name = secret.split("/").map(encodeURIComponent).join("/");
  return getJson(api, `/v1/${name}/versions/${version}${method}`, context);
}

/** @throws SourceError for a response other than a success. */
function refuse(status: number, body: unknown): void {
  if (status === 200) return;
  if (status === 401) throw refused("cannot be read: Google does not accept the login. Log in again.");
  if (status === 404)
    throw notFound("does not exist, or has no such version. Correct its name, or create it.");
  if (status === 400 && textIn(propertyIn(body, "error"), "status") === "FAILED_PRECONDITION")
    throw refused("cannot be read: its version is disabled or destroyed. Add a new one, or enable it.");
  throw refused(`cannot be read: Google refuses the request (status ${status}). Check its name and version.`);
}

function addressFor({ secret, endpoint }: GoogleSecretManagerFields): string {
  if (endpoint !== undefined) return new URL(endpoint).origin;
  const location = /\/locations\/([^/]+)\//.exec(secret)?.[1];
  return location === undefined
    ? "https://secretmanager.googleapis.com"
    : `https://secretmanager.${location}.rep.googleapis.com`;
}

/** The number of the version that `latest` or an alias meant. */
function versionIn(body: unknown): string {
  const number = /\/versions\/(\d{1,20})$/.exec(textIn(body, "name") ?? "")?.[1];
  if (number === undefined) throw notGoogle();
  return number;
}

function notGoogle(): Error {
  return malformed(`cannot be read: the response is not from Google Secret Manager. ${advice}`);
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, href } = new URL(text);
  return href === `${origin}/` && !isExposed(text);
}

function fieldsIn(written: string): Partial<GoogleSecretManagerFields> | undefined {
  const [, secret, version, field] =
    /^(projects\/[^#]*?)(?:\/versions\/([^/#]+))?(?:#(.+))?$/.exec(written) ?? [];
  return secret === undefined ? undefined : { secret, version, field };
}
