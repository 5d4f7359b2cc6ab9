/** A logged request, without the API key and secret values (§2.6), so it is safe to print. */
export interface LoggedRequest {
  /** Time by the emulator's clock, in milliseconds. */
  at: number;
  method: string;
  path: string;
  query: Record<string, string>;
  /** The parsed JSON body, the raw text if it is not JSON, or undefined if there is no body. */
  body: unknown;
  /** Response status, or undefined if none was sent. */
  status?: number;
  /** Faults applied to the request, in the syntax of fault lines. */
  fault?: string;
}

const mask = "(redacted)";

/** Maximum number of logged requests. Beyond it, the oldest are dropped. */
const maxRequests = 100_000;

/** Logs a request. Copies only printable parts, because the request also contains the API key. */
export function logRequest(
  log: LoggedRequest[],
  at: number,
  request: { method: string; path: string; query: URLSearchParams; text: string },
): LoggedRequest {
  const { method, path, query, text } = request;
  const logged = { at, method, path, query: Object.fromEntries(query), body: toPrintableBody(path, text) };
  if (log.length >= maxRequests) log.shift();
  log.push(logged);
  return logged;
}

function toPrintableBody(path: string, text: string): unknown {
  if (text === "") return undefined;
  const value = parseJsonOrText(text);
  return path.startsWith("/v1/secrets") ? redactSecret(value) : value;
}

/** Redacts all fields except those known to be harmless, because a misspelled field may contain the secret. */
function redactSecret(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return mask;
  const harmless = new Set(["secret_name", "secret_type"]);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, harmless.has(name) ? field : mask]),
  );
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
