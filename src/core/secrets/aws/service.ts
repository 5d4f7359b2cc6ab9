import { type ParsedUrlQueryInput, stringify } from "node:querystring";
import { openHttpClient } from "../../../base/http/index.js";
import { readProxy } from "../json-api.js";
import { notSet, SourceProblem } from "../source-error.js";
import type { SourceContext } from "../source-kind.js";
import { toAwsProblem } from "./errors.js";

/** What a client of the SDK is made with. What is absent here, it takes from the process and the profile. */
export interface AwsClientSettings {
  readonly region?: string;
  readonly profile?: string;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  readonly requestHandler: ReturnType<typeof openAwsWire> & Record<string, unknown>;
  /** The runner of sources repeats, and the SDK does not. */
  readonly maxAttempts: 1;
}

interface Client {
  readonly config: { region(): Promise<string> };
  destroy(): void;
}

/** A service of AWS in one region: its SDK, and one client for all sources of a run. */
export interface AwsService<Sdk, Of extends Client> {
  readonly sdk: Sdk;
  readonly client: Of;
  readonly region: string;
}

/** Opens it with the first source that needs it. */
export function awsService<Sdk, Of extends Client>(
  region: string | undefined,
  context: SourceContext,
  load: () => Promise<Sdk>,
  openClient: (sdk: Sdk, settings: AwsClientSettings) => Of,
): Promise<AwsService<Sdk, Of>> {
  const open = async () => {
    const sdk = await load();
    const requestHandler = { ...openAwsWire(context) };
    const settings = settingsIn(context.environment, region);
    const client = openClient(sdk, { ...settings, requestHandler, maxAttempts: 1 });
    return { sdk, client, region: await resolveRegion(client) };
  };
  return context.connection(region ?? "", open, ({ client }) => client.destroy());
}

/** The SDK looks at the variables of the process only, and `--env-file` may set some more. */
function settingsIn(variables: SourceContext["environment"], region?: string) {
  const { AWS_PROFILE: profile, AWS_REGION, AWS_DEFAULT_REGION } = variables;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
  const { AWS_SESSION_TOKEN: sessionToken } = variables;
  const named = region ?? (AWS_REGION || AWS_DEFAULT_REGION);
  const keys = !profile && accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined;
  return {
    ...(named ? { region: named } : {}),
    ...(profile ? { profile } : {}),
    ...(keys ? { credentials: { ...keys, ...(sessionToken ? { sessionToken } : {}) } } : {}),
  };
}

async function resolveRegion(client: Client): Promise<string> {
  try {
    return await client.config.region();
  } catch {
    throw notSet("has no region. Write `region: eu-central-1` beside it, or set AWS_REGION.");
  }
}

export const regionField = {
  type: "string",
  pattern: /^[a-z0-9-]+$/,
  description: "Default: the ARN's, else AWS_REGION, else the profile's.",
} as const;

/** The region of an ARN. */
export function regionIn(name: string): string | undefined {
  return /^arn:[^:]*:[^:]*:([a-z0-9-]+):/.exec(name)?.[1];
}

/**
 * A response of AWS.
 *
 * @throws the problem in words, if there is none. `action` is what the credentials need.
 */
export async function askAws<Answer>(
  action: string,
  region: string,
  context: SourceContext,
  ask: (options: { readonly abortSignal: AbortSignal }) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask({ abortSignal: context.signal });
  } catch (thrown) {
    if (thrown instanceof SourceProblem) throw thrown;
    throw toAwsProblem(thrown, { action, region });
  }
}

interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: ParsedUrlQueryInput;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A secret has 64 KB at most, which JSON may write six times as long. */
const maxResponseBytes = 1_000_000;

/**
 * Sends the requests of the SDK as all others are sent: through the proxies of the environment, which the SDK does not
 * look at, and with a limit on what is read of a response.
 */
function openAwsWire(context: SourceContext) {
  const http = openHttpClient({ proxy: readProxy(context), maxResponseBytes });
  return {
    async handle(
      { protocol, hostname, port, path, query, method, headers, body }: SdkRequest,
      { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
    ): Promise<unknown> {
      const place = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}`;
      // AWS_ENDPOINT_URL, that of a service, and the profile's: the SDK decides.
      context.checkAddress(place, "environment");
      const response = await http.send(`${place}${path}?${stringify(query)}`, {
        method,
        // undici writes these itself.
        headers: Object.fromEntries(
          Object.entries(headers).filter(
            ([name]) => !["host", "content-length"].includes(name.toLowerCase()),
          ),
        ),
        // What the services that we ask are sent is text.
        body:
          body instanceof Uint8Array
            ? new TextDecoder().decode(body)
            : typeof body === "string"
              ? body
              : null,
        signal: abortSignal,
      });
      const { status: statusCode, headers: responseHeaders, text } = response;
      return { response: { statusCode, headers: responseHeaders, body: new TextEncoder().encode(text) } };
    },
    destroy() {
      void http.close();
    },
  };
}
