/**
 * The emulator's own endpoint, for people and other processes: request faults, make edits as a colleague,
 * read the log. It is under /_emulator, where the service has nothing. It requires the key of the service
 * (X-API-KEY) and JSON bodies, so that no web page can reach it through a visitor's
 * browser.
 *
 *     GET    /_emulator              overview: behaviour, faults, number of requests
 *     GET    /_emulator/requests     the log;  DELETE empties it
 *     GET    /_emulator/world        the data of the account
 *     GET    /_emulator/faults       pending faults;  DELETE removes them
 *     POST   /_emulator/faults       a fault: {"match":{…},"do":{"kind":"drop","when":"after"}}
 *                                    or a line of text: "POST /v1/contexts drop-after"
 *     GET    /_emulator/behaviour    all settings
 *     POST   /_emulator/behaviour    settings: {"links":"merge"}, or one as text: "links=merge"
 *     GET    /_emulator/clock        the time;  POST sets it forward: {"passMs":60000}
 *     POST   /_emulator/edit         {"do":"editContext","context":"<id or name>","patch":{"prompt":"…"}}
 *                                    {"do":"addContext","context":{"name":"…","prompt":"…"}}
 *                                    {"do":"removeContext","context":"<id or name>"}
 *                                    {"do":"renameAvatar","id":"…","name":"…"}, or renameVoice
 *                                    {"do":"addSession","session":{"source":"EMBED"}}
 *                                    {"do":"endSession","id":"…","reason":"USER_CLOSED"}
 *                                    {"do":"say","id":"…","role":"user","text":"…"}
 *
 * Responses are plain JSON values, and `{"error":"…"}` with 400 for invalid input.
 */
import { type Behaviour, parseBehaviour, readBehaviour } from "./behaviour.js";
import { type Dashboard, edit } from "./dashboard.js";
import type { Fault } from "./emulator.js";
import type { FaultQueue } from "./fault-queue.js";
import { actionWord, parseFault, readFault } from "./fault-text.js";
import { EmulatorInputError } from "./input-error.js";
import type { LoggedRequest } from "./request-log.js";
import { json, type ServiceRequest, type ServiceResponse } from "./service.js";
import { integer, joinProblems, readAs, strictObject } from "./shape.js";

export interface Controlled {
  requests: LoggedRequest[];
  faults: FaultQueue;
  behaviour: Behaviour;
  nowMs: () => number;
  passTime: (ms: number) => void;
  apiKey: string;
  dashboard: Dashboard;
}

const root = "/_emulator";

/** Responds to requests for the emulator itself; undefined for one to the service. */
export function control(controlled: Controlled, request: ServiceRequest): ServiceResponse | undefined {
  if (request.path !== root && !request.path.startsWith(`${root}/`)) return undefined;
  if (request.apiKey !== controlled.apiKey)
    return json(401, { error: "send the key of the emulated service as X-API-KEY" });
  const operation = operations[request.path]?.[request.method];
  if (!operation) return json(404, { error: `there is no ${request.method} ${request.path}` });
  try {
    const sent = request.method === "POST" ? sentJson(request) : undefined;
    return json(200, operation(controlled, sent) ?? { done: true });
  } catch (error) {
    if (error instanceof EmulatorInputError) return json(400, { error: error.message });
    throw error;
  }
}

type Operation = (controlled: Controlled, sent: unknown) => unknown;

const operations: Record<string, Record<string, Operation>> = {
  [root]: {
    GET: ({ behaviour, faults, requests }) => ({
      behaviour,
      faults: faults.waiting().map(shown),
      requests: requests.length,
    }),
  },
  [`${root}/requests`]: {
    GET: ({ requests }) => requests,
    DELETE: ({ requests }) => void requests.splice(0),
  },
  [`${root}/world`]: { GET: ({ dashboard }) => dashboard.world },
  [`${root}/faults`]: {
    GET: ({ faults }) => faults.waiting().map(shown),
    POST: ({ faults }, sent) => faults.add(typeof sent === "string" ? parseFault(sent) : readFault(sent)),
    DELETE: ({ faults }) => faults.clear(),
  },
  [`${root}/behaviour`]: {
    GET: ({ behaviour }) => behaviour,
    POST: ({ behaviour }, sent) =>
      Object.assign(behaviour, typeof sent === "string" ? parseBehaviour(sent) : readBehaviour(sent)),
  },
  [`${root}/clock`]: {
    GET: ({ nowMs }) => ({ now: new Date(nowMs()).toISOString() }),
    POST({ passTime }, sent) {
      const read = readAs(passing, sent);
      if ("problems" in read) throw new EmulatorInputError("clock", joinProblems(read.problems));
      passTime(read.value.passMs);
    },
  },
  [`${root}/edit`]: { POST: ({ dashboard }, sent) => edit(dashboard, sent) },
};

const passing = strictObject({ passMs: integer(0) });

/** Infinity and functions have no JSON form. */
function shown({ match = {}, skip = 0, times = 1, do: action }: Fault) {
  return {
    method: match.method ?? "*",
    path: match.path ?? "*",
    body: match.body,
    action: actionWord(action),
    skip,
    times: times === Number.POSITIVE_INFINITY ? "always" : times,
  };
}

function sentJson({ contentType, text }: ServiceRequest): unknown {
  try {
    if (/^application\/json\b/i.test(contentType)) return JSON.parse(text);
  } catch {
    // Reported below, like any other body that is not JSON.
  }
  throw new EmulatorInputError("request", "send a JSON body with Content-Type: application/json");
}
