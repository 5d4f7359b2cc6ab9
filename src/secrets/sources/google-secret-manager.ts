import type { SecretManagerServiceClient } from "@google-cloud/secret-manager";
import { isExposed } from "../../http/index.js";
import { openGoogleClient } from "../google/client.js";
import { googleTrouble, isDenied } from "../google/trouble.js";
import { jsonField } from "../json-field.js";
import type { SourceContext, SourceKind } from "../source-kind.js";

/** Fields of `!google-secret-manager`. */
export interface GoogleSecretManagerFields {
  readonly secret: string;
  readonly version?: string;
  readonly field?: string;
  readonly endpoint?: string;
}

/** A secret in Google Secret Manager, read with Google's client. */
export const googleSecretManager: SourceKind<GoogleSecretManagerFields> = {
  name: "google-secret-manager",
  title: "Google Secret Manager",
  fields: {
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
  },
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
  packages: ["@google-cloud/secret-manager"],
  rights: {
    value: "secretmanager.versions.access, as in the role Secret Manager Secret Accessor",
    version: "secretmanager.versions.get, as in the role Secret Manager Viewer",
  },
  async read(fields, context) {
    const client = await clientOf(fields, context);
    const [answer] = await client
      .accessSecretVersion({ name: nameOf(fields) }, once)
      .catch((error: unknown) => {
        throw googleTrouble(error, context);
      });
    const data = answer.payload?.data;
    if (!(data instanceof Uint8Array)) throw notGoogle(context);
    const version = versionIn(answer.name, context);
    return { value: fields.field === undefined ? data : jsonField(data, fields.field, context), version };
  },
  async version(fields, context) {
    // A numbered version never changes.
    if (/^\d+$/.test(fields.version ?? "")) return fields.version;
    const client = await clientOf(fields, context);
    try {
      const [{ name, state }] = await client.getSecretVersion({ name: nameOf(fields) }, once);
      if (state === "DISABLED" || state === "DESTROYED")
        throw context.error(
          "refused",
          `cannot be read: its version is ${state.toLowerCase()}. Add a new one, or enable it.`,
        );
      return versionIn(name, context);
    } catch (error) {
      // No right to look at versions: then the value tells.
      if (isDenied(error)) return undefined;
      throw googleTrouble(error, context);
    }
  },
};

/** Retries are ours. */
const once = { retry: null, timeout: 60_000 };

async function clientOf(
  fields: GoogleSecretManagerFields,
  context: SourceContext,
): Promise<SecretManagerServiceClient> {
  const endpoint = endpointOf(fields);
  const [, project = ""] = fields.secret.split("/");
  const open = () => openGoogleClient(new URL(endpoint), project, context);
  try {
    return (await context.connection(endpoint, open, ({ close }) => close())).client;
  } catch (error) {
    throw googleTrouble(error, context);
  }
}

function endpointOf({ secret, endpoint }: GoogleSecretManagerFields): string {
  if (endpoint !== undefined) return endpoint;
  const location = /\/locations\/([^/]+)\//.exec(secret)?.[1];
  return location === undefined
    ? "https://secretmanager.googleapis.com"
    : `https://secretmanager.${location}.rep.googleapis.com`;
}

function nameOf({ secret, version = "latest" }: GoogleSecretManagerFields): string {
  return `${secret}/versions/${version}`;
}

/** The number of the version that `latest` or an alias meant. */
function versionIn(name: string | null | undefined, context: SourceContext): string {
  const number = /\/versions\/(\d{1,20})$/.exec(name ?? "")?.[1];
  if (number === undefined) throw notGoogle(context);
  return number;
}

function notGoogle({ error }: SourceContext): Error {
  return error(
    "malformed",
    "cannot be read: what answers is not Google Secret Manager. Check the endpoint and the proxy.",
  );
}

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, href } = new URL(text);
  return href === `${origin}/` && !isExposed(text);
}

function fieldsIn(written: string): Partial<GoogleSecretManagerFields> | undefined {
  const [, secret, version, field] =
    /^(projects\/[^#]*?)(?:\/versions\/([^/#]+))?(?:#(.+))?$/.exec(written) ?? [];
  if (secret === undefined) return undefined;
  return {
    secret,
    ...(version === undefined ? {} : { version }),
    ...(field === undefined ? {} : { field }),
  };
}
