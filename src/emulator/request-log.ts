/** A request as it may be printed: no key, and no secret value (§2.6). */
export interface LoggedRequest {
  /** By the emulator's clock, in milliseconds. */
  at: number;
  method: string;
  path: string;
  query: Record<string, string>;
  /** The body as JSON, or as text if it was none; undefined without a body. */
  body: unknown;
  /** The status answered; undefined while there is none, and for ever if the connection was closed. */
  status?: number;
  /** The faults that hit it, in the words of parseFault. */
  fault?: string;
}

const keptOut = "(kept out)";

/** Memory is not for ever; the oldest requests go first. */
const longestLog = 100_000;

/** Takes what may be printed, field by field: a request has a key on it too. */
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

/** Only what is known to be harmless stays: a value under a misspelt name is a value still. */
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
