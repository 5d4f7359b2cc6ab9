import type { HttpResponse } from "../http/index.js";
import { parseJson, plainLine } from "../text/index.js";
import { HostError, type HostErrorFacts } from "./errors.js";
import type { Token } from "./host-options.js";

/** The error for a response with a status other than success. */
export function refusal(
  { status, text, headers }: HttpResponse,
  { token, permissions }: { readonly token: Token; readonly permissions: string },
): HostError {
  const hostMessage = readMessage(text);
  const said = `(${[status, hostMessage].filter(Boolean).join(": ")})`;
  const facts = { status, hostMessage, outcome: "refused" } as const;
  const error = (message: string, more: Pick<HostErrorFacts, "code"> & Partial<HostErrorFacts>) =>
    new HostError(message, { ...facts, ...more });
  const wait = readWaitMs(status, headers, hostMessage);
  if (wait !== undefined && status !== 503) {
    const seconds = Math.ceil(wait / 1000);
    return error(`the host limits requests ${said}: try again in ${seconds} s.`, {
      code: "host-rate-limited",
      outcome: "not-sent",
      retryAfterMs: wait,
    });
  }
  if (status >= 500)
    return error(`the host is not available ${said}: try again later.`, {
      code: "host-unavailable",
      outcome: wait === undefined ? "unknown" : "not-sent",
      retryAfterMs: wait,
    });
  if (status === 401)
    return error(
      `the host does not accept the token in ${token.variable} ${said}: it may be wrong, expired or revoked.`,
      { code: "host-unauthorized" },
    );
  if (status === 403)
    return error(`the token in ${token.variable} may not do this ${said}. ${permissions}`, {
      code: "host-forbidden",
    });
  if (status === 404 || status === 410)
    return error(
      `not found ${said}: check the repository and the number, and that the token in ${token.variable} may read it.`,
      { code: "host-not-found" },
    );
  if (status >= 300 && status < 400)
    return error(
      `the host answers with another address (${status}): check the address and the name of the repository.`,
      { code: "host-redirected" },
    );
  return error(`the host refused it ${said}.`, { code: "host-refused" });
}

/** `message` or `error` of the response: hosts put a text, a list, or lists by field there. */
function readMessage(text: string): string | undefined {
  const { message, error, errors } = Object(parseJson(text)) as Readonly<Record<string, unknown>>;
  const words = [message ?? error, errors].filter((part) => part !== undefined && part !== null);
  const line = plainLine(
    words.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join(" "),
  );
  return line === "" ? undefined : line;
}

/**
 * How long a limit asks us to wait; undefined if the response is about something else. GitHub limits with 403 too, and
 * asks to wait a minute where it says nothing.
 */
function readWaitMs(
  status: number,
  headers: Readonly<Record<string, string>>,
  words: string | undefined,
): number | undefined {
  const seconds = Number(headers["retry-after"] ?? Number.NaN);
  if (status === 503) return seconds >= 0 ? seconds * 1000 : undefined;
  if (status !== 429 && status !== 403) return undefined;
  if (seconds >= 0) return seconds * 1000;
  const remaining = headers["x-ratelimit-remaining"] ?? headers["ratelimit-remaining"];
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"] ?? Number.NaN);
  const served = Date.parse(headers.date ?? "");
  if (remaining === "0" && reset > 0 && served > 0) return Math.max(1000, reset * 1000 - served);
  return status === 429 || /rate limit/i.test(words ?? "") ? 60_000 : undefined;
}
