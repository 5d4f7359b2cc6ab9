/** A request that is safe to print: without key, and without secret value (§2.6). */
export interface LoggedRequest {
  /** By the emulator's clock, in milliseconds. */
  at: number;
  method: string;
  path: string;
  query: Record<string, string>;
  /** The body as JSON, or as text if it is not JSON; undefined without a body. */
  body: unknown;
  /** The status of the response; undefined until there is one, and always if the connection was closed. */
  status?: number;
  /** The faults that hit it, in the notation of parseFault. */
  fault?: string;
}

const keptOut = "(redacted)";

/** Memory is limited; the oldest requests are dropped first. */
const longestLog = 100_000;

/** Copies printable parts field by field: a request also has a key. */
export function logRequest(
  log: LoggedRequest[],
  at: number,
  request: { method: string; path: string; query: URLSearchParams; text: string },
): LoggedRequest {
  const { method, path, query, text } = request;
  const logged = { at, method, path, query: Object.fromEntries(query), body: printableBody(path, text) };
  if (log.length >= longestLog) log.shift();
  log.push(logged);
  return logged;
}

function printableBody(path: string, text: string): unknown {
  if (text === "") return undefined;
  const value = jsonOrText(text);
  return path.startsWith("/v1/secrets") ? withoutSecret(value) : value;
}

/** Keeps only what is known to be harmless: a value under a misspelt name is still a secret value. */
function withoutSecret(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return keptOut;
  const harmless = new Set(["secret_name", "secret_type"]);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, harmless.has(name) ? field : keptOut]),
  );
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
