import { type ParsedUrlQueryInput, stringify } from "node:querystring";
import { openHttpClient } from "../../../base/http/index.js";
import { withPackage } from "../../../base/optional-packages/index.js";
import { readProxy } from "../json-api.js";
import { notSet } from "../source-error.js";
import type { SourceContext } from "../source-kind.js";

export const title = "AWS Secrets Manager";
export const sdkPackage = "@aws-sdk/client-secrets-manager";

/** The SDK, and its client of a region: one for all sources of a run. */
export function openSecretsManager(named: string | undefined, context: SourceContext) {
  const open = async () => {
    const sdk = await withPackage(
      sdkPackage,
      title,
      () => import("@aws-sdk/client-secrets-manager"),
      context,
    );
    const client = new sdk.SecretsManagerClient({
      ...settingsIn(context.environment, named),
      requestHandler: { ...openAwsWire(context) },
      // The runner of sources repeats, and the SDK does not.
      maxAttempts: 1,
    });
    const region = await client.config.region().catch(() => {
      throw notSet("has no region. Write `region: eu-central-1` beside it, or set AWS_REGION.");
    });
    return { sdk, client, region };
  };
  return context.connection(named ?? "", open, ({ client }) => client.destroy());
}

/** The SDK looks at the variables of the process only, and `--dotenv` may set some more. */
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

interface SdkRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: ParsedUrlQueryInput;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
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
        body: body ? Buffer.from(body).toString() : null,
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
