/**
 * The emulator's own endpoint, which simulates a colleague's edits. Its path /_emulator does not exist in the service. Requests
 * need the service's key (X-API-KEY) and JSON bodies, so that web pages cannot send them through a visitor's browser.
 *
 *     GET    /_emulator              overview: behavior, number of requests
 *     GET    /_emulator/world        the data of the account
 *     POST   /_emulator/edit         {"do":"editContext","context":"<id or name>","patch":{"prompt":"…"}}
 *                                    {"do":"renameAvatar","id":"…","name":"…"}, or renameVoice
 *
 * Responses are plain JSON values, and `{"error":"…"}` with 400 for invalid input.
 */
import type { Behavior } from "./behavior.js";
import { type Dashboard, edit } from "./dashboard.js";
import { EmulatorInputError } from "./input-error.js";
import type { LoggedRequest } from "./request-log.js";
import { type ReceivedRequest, type ServiceResponse, toJsonResponse } from "./service.js";

export interface EmulatorControls {
  requests: LoggedRequest[];
  behavior: Behavior;
  apiKey: string;
  dashboard: Dashboard;
}

const root = "/_emulator";

/** Responds to requests to the emulator's own endpoint. Returns undefined for requests to the service. */
export function controlEmulator(
  controlled: EmulatorControls,
  request: ReceivedRequest,
): ServiceResponse | undefined {
  if (request.path !== root && !request.path.startsWith(`${root}/`)) return undefined;
  if (request.apiKey !== controlled.apiKey)
    return toJsonResponse(401, { error: "the X-API-KEY header must contain the API key of the account" });
  const operation = operations[request.path]?.[request.method];
  if (!operation)
    return toJsonResponse(404, { error: `unknown endpoint: ${request.method} ${request.path}` });
  try {
    const sent = request.method === "POST" ? parseJson(request) : undefined;
    return toJsonResponse(200, operation(controlled, sent) ?? { done: true });
  } catch (error) {
    if (error instanceof EmulatorInputError) return toJsonResponse(400, { error: error.message });
    throw error;
  }
}

type ControlOperation = (controlled: EmulatorControls, sent: unknown) => unknown;

const operations: Record<string, Record<string, ControlOperation>> = {
  [root]: { GET: ({ behavior, requests }) => ({ behavior, requests: requests.length }) },
  [`${root}/world`]: { GET: ({ dashboard }) => dashboard.world },
  [`${root}/edit`]: { POST: ({ dashboard }, sent) => edit(dashboard, sent) },
};

function parseJson({ contentType, text }: ReceivedRequest): unknown {
  try {
    if (/^application\/json\b/i.test(contentType)) return JSON.parse(text);
  } catch {
    // Falls through to the error below.
  }
  throw new EmulatorInputError("request", "the body must be JSON, with Content-Type: application/json");
}
