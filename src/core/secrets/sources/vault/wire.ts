import { readRegular } from "../../../../base/files/index.js";
import {
  type HttpClient,
  HttpError,
  type HttpResponse,
  openHttpClient,
  type ProxyOptions,
} from "../../../../base/http/index.js";
import { isMapping, parseJson } from "../../../../base/text/index.js";
import { failed, malformed, refused, tooLong, unreachable, unreadable } from "../../source-error.js";
import type { VaultServer } from "./settings.js";

/** A secret has 1 MB at most by default; its metadata grows with its versions. */
const maxResponseBytes = 4_000_000;
const maxRedirects = 3;

export interface VaultResponse {
  readonly status: number;
  /** The server's time, in ms. */
  readonly at: number;
  /** Empty if there is none. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface VaultRequest {
  /** Default: GET, or POST with a body. */
  readonly method?: "POST";
  readonly body?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** The way to a server: sends a request once, and follows redirects to the same host. */
export interface VaultWire {
  /** `path` is below `/v1/`, and encoded. @throws SourceProblem if there is no response of Vault's. */
  send(path: string, request?: VaultRequest): Promise<VaultResponse>;
  close(): Promise<void>;
}

export async function openVaultWire(server: VaultServer, proxy: ProxyOptions): Promise<VaultWire> {
  const { address, namespace, caFile } = server;
  const ca = caFile === undefined ? undefined : await certificatesIn(caFile);
  const client = openHttpClient({ proxy, ca, idleMs: 60_000, maxResponseBytes });
  return {
    async send(path, { method, body, token, signal } = {}) {
      const request = {
        method: method ?? (body ? "POST" : "GET"),
        body: body && JSON.stringify(body),
        signal,
        headers: {
          // Proxies of Vault may ask for it, as a protection against forged requests.
          "x-vault-request": "true",
          ...(body && { "content-type": "application/json" }),
          ...(namespace && { "x-vault-namespace": namespace }),
          ...(token && { "x-vault-token": token }),
        },
      };
      return parseResponse(await follow(client, new URL(`${address}/v1/${path}`), request), address);
    },
    close: client.close,
  };
}

async function certificatesIn(file: string): Promise<string> {
  const bytes = await readRegular(file, 1_000_000).catch(() => undefined);
  const text = bytes && Buffer.from(bytes).toString();
  if (text?.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw unreadable(
    `cannot be read: ${file} is not a file of certificates in PEM. Correct VAULT_CACERT, or the field \`ca_cert_file\`.`,
  );
}

/** A node of a cluster that is not the active one may name that with 307. */
async function follow(
  client: HttpClient,
  start: URL,
  request: Parameters<HttpClient["send"]>[1],
): Promise<HttpResponse> {
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await client.send(url, request).catch((error: unknown) => {
      throw toVaultProblem(error, url.origin);
    });
    const { location = "" } = response.headers;
    if (response.status < 300 || response.status >= 400) return response;
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (!next || !isSameHost(url, next)) {
      throw refused(
        `cannot be read: ${url.origin} redirects to another host, to which credentials are not sent. Set VAULT_ADDR, or the field \`address\`, to the address of the cluster or of its active node.`,
      );
    }
    url = next;
  }
  throw unreachable(`cannot be read: ${start.origin} redirects again and again.`);
}

/** The same server, or the same host with TLS. */
function isSameHost(from: URL, to: URL): boolean {
  if (to.username !== "" || to.password !== "") return false;
  if (to.origin === from.origin) return true;
  return to.hostname === from.hostname && from.protocol === "http:" && to.protocol === "https:";
}

/** Says what the system or TLS reports by its code alone. */
function toVaultProblem(error: unknown, origin: string): unknown {
  if (!(error instanceof HttpError)) return error;
  const { code, system = "" } = error;
  if (code === "too-long") {
    return tooLong(
      `cannot be read: the response of ${origin} is longer than ${maxResponseBytes / 1_000_000} MB. ${checkAddress}`,
    );
  }
  if (system === "EPROTO" || system.startsWith("ERR_SSL_")) {
    return failed(`cannot be read: ${origin} does not speak TLS. ${checkAddress}`);
  }
  if (system === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return failed(`cannot be read: the certificate of ${origin} is for another host. ${checkAddress}`);
  }
  if (system === "CERT_HAS_EXPIRED" || system === "CERT_NOT_YET_VALID") {
    return failed(`cannot be read: the certificate of ${origin} is not valid now (${system}).`);
  }
  if (certificateError.test(system)) {
    return failed(
      `cannot be read: the certificate of ${origin} was issued by a CA that is not trusted here (${system}). Name a file with the CA's certificate in VAULT_CACERT, or in the field \`ca_cert_file\`.`,
    );
  }
  const reported = system === "" ? "" : ` (${system})`;
  return unreachable(`cannot be read: ${origin} does not respond${reported}. ${checkAddress}`);
}

const checkAddress = "Check VAULT_ADDR, or the field `address`.";
const certificateError = /CERT|SIGNATURE|ISSUER/;

function parseResponse({ status, headers, text }: HttpResponse, address: string): VaultResponse {
  if (status === 429 || status >= 500) throw busy(status, text, address);
  const body = text.trim() === "" ? {} : parseJson(text);
  if (isMapping(body)) return { status, at: Date.parse(headers.date ?? ""), body };
  throw malformed(
    `cannot be read: the server at ${address} is not Vault (status ${status}). ${checkAddress}`,
  );
}

function busy(status: number, text: string, address: string): Error {
  if (status === 503 && /sealed/i.test(text)) {
    return unreachable(
      `cannot be read: Vault at ${address} is sealed. Have an operator unseal it (\`vault operator unseal\`), and try again.`,
    );
  }
  const why = status === 429 ? "reports too many requests" : "reports an error";
  return unreachable(`cannot be read: Vault at ${address} ${why} (status ${status}).`);
}
