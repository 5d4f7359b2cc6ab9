import { HttpError, type HttpResponse } from "../../src/base/http/index.js";
import { createConnectionError } from "../../src/core/api/failure.js";
import type { Exchange, ServiceRequest } from "../../src/core/api/request.js";
import { type Account, openAccount, type Row } from "../../src/emulator/account.js";
import { type Behavior, defaultBehavior } from "../../src/emulator/behavior.js";
import { profiles } from "../../src/emulator/profile.js";
import { openService, type ServiceResponse } from "../../src/emulator/service.js";
import type { Process, RequestFault } from "./machine.js";
import { createRandom, pickNumber, type Random, type Range } from "./random.js";
import type { Timeline } from "./timeline.js";

/** Service behavior in a simulated life. */
export interface ServiceFacts {
  readonly names: "free" | "unique";
  /** Whether the service lists and deletes the kinds of objects that a profile adds. */
  readonly hasProfile: boolean;
  /** Maximum length of a list page. */
  readonly pageSize: number;
  readonly order: Behavior["listOrder"] | "each-page";
  readonly precision: Behavior["timestampPrecision"];
  /** Count in lists. Default: exact. */
  readonly counts?: Behavior["listCount"];
  /**
   * Context that lists omit, although counts include it. `another` is a different one each time a list is read,
   * as if the service had outdated replicas.
   */
  readonly omits?: "newest" | "another";
  /** How far the service's clock is ahead of real time, in ms. */
  readonly skewMs: number;
  /**
   * Request timeout that the files set, in ms. Undefined for the default. The service finishes its work in time, but
   * the response may still arrive late.
   */
  readonly timeoutMs?: number;
  /** Duration of a read, in ms. */
  readonly reads: Range;
  readonly writes: Range;
  /** Point at which a request is processed, as a fraction (0 to 1) of its duration. */
  readonly carriesOut: Range;
  /** Like `carriesOut`, but for reads. A small fraction makes slow responses outdated. Default: `carriesOut`. */
  readonly readsCarriedOut?: Range;
  /** Maximum creates per second. Undefined for no limit. */
  readonly perSecond?: number;
  /** Time before which every create is rejected, in ms from the start of the simulated life. */
  readonly busyUntilMs?: number;
  /** `Retry-After` of rejected creates, in seconds. */
  readonly retryAfter?: number;
}

/** Write request, as the service received it. */
export interface Write {
  readonly process: Process;
  readonly method: string;
  readonly path: string;
  readonly sentMs: number;
  /** How long the store had been rejecting every request from the process, in ms. */
  readonly storeRefusesForMs: number;
  /** Time at which the write was processed, or undefined. */
  doneMs?: number;
  status?: number;
  /** Created object, or a copy of the deleted one. */
  row?: Row;
  /** Name of the changed object before the write. */
  formerName?: string | undefined;
  /** Name of the changed object after the write. */
  laterName?: string | undefined;
  /** Other objects that had the same name when the write was processed. */
  namesakes?: readonly Row[];
  /** Whether the response has reached the process. */
  isAcknowledged?: boolean;
}

export const origin = "https://api.example.com";
export const apiKey = "key";
const defaultTimeoutMs = 30_000;
const travel: Range = [2, 80];

/** Field with the visible name, by resource. */
const nameFields: Readonly<Record<string, string>> = {
  contexts: "name",
  secrets: "secret_name",
  llmConfigurations: "display_name",
};

/** Emulated service in virtual time, with all the effects of a network. */
export class SimulatedService {
  readonly timeline: Timeline;
  readonly facts: ServiceFacts;
  readonly account: Account = openAccount({ contexts: [], secrets: [], llmConfigurations: [] });
  readonly writes: Write[] = [];
  /** Ids of the objects that people created. */
  readonly ofPeople = new Set<string>();
  /** Whether lists are complete and have a stable order again. */
  isCalm = false;
  readonly #handle: ReturnType<typeof openService>;
  readonly #random: Random;
  readonly #note: (describe: () => string) => void;
  readonly #startMs: number;
  #ids = 0;
  /** Number of lists whose first page was read. */
  #lists = 0;
  #window = { second: 0, admitted: 0 };
  /** Last successful response to a write, by method and collection. */
  readonly #lastResponses = new Map<string, ServiceResponse>();

  constructor(
    timeline: Timeline,
    facts: ServiceFacts,
    seed: number,
    /** Called for every request and every change. */
    note: (describe: () => string) => void,
  ) {
    this.#note = note;
    this.timeline = timeline;
    this.facts = facts;
    const { names, hasProfile, order, precision, counts = "exact" } = facts;
    this.#startMs = timeline.nowMs;
    this.#random = createRandom(seed, "service");
    this.#handle = openService({
      account: this.account,
      apiKey,
      behavior: {
        ...defaultBehavior,
        ...(hasProfile ? profiles.liveavatar : {}),
        contextNames: names,
        listOrder: order === "each-page" ? "created" : order,
        timestampPrecision: precision,
        listCount: counts,
      },
      profile: hasProfile ? "liveavatar" : undefined,
      nowMs: () => this.nowMs(),
      newId: () => this.newId(),
    });
  }

  nowMs(): number {
    return this.timeline.nowMs + this.facts.skewMs;
  }

  /** Returns the current time in the account's timestamp format. */
  timestamp(): string {
    return new Date(this.nowMs()).toISOString();
  }

  newId(): string {
    return `00000000-0000-4000-8000-${(++this.#ids).toString(16).padStart(12, "0")}`;
  }

  rows(resource: string): Row[] {
    return this.account.world[resource] ?? [];
  }

  /** Returns the connection of a process to the service. */
  exchangeOf(process: Process): Exchange {
    return (request) =>
      new Promise((resolve, reject) => {
        process.call(findKind(request), (trouble) => this.#send(process, request, trouble, resolve, reject));
      });
  }

  #send(
    process: Process,
    request: ServiceRequest,
    trouble: RequestFault | undefined,
    resolve: (response: HttpResponse) => void,
    reject: (error: Error) => void,
  ): void {
    const { timeline, facts } = this;
    const { timeoutMs = defaultTimeoutMs } = facts;
    const isRead = request.method === "GET";
    let isOver = false;
    const end = (finish: () => void) => {
      if (isOver) return;
      isOver = true;
      stopTimer();
      finish();
    };
    const fail = (code: HttpError["code"], what: string, mayBeSent: boolean) =>
      end(() => reject(createConnectionError(request, origin, new HttpError(code, what, mayBeSent))));
    const stopTimer = process.startTimer(timeoutMs, () =>
      fail("timeout", "no complete response in time", true),
    );
    const toMs = pickNumber(process.random, travel);
    const backMs = pickNumber(process.random, travel);
    const workMs = Math.min(
      pickNumber(process.random, isRead ? facts.reads : facts.writes),
      timeoutMs - toMs - 1,
    );
    const [early, late] = (isRead && facts.readsCarriedOut) || facts.carriesOut;
    const part = early + process.random() * (late - early);
    if (trouble === "refused") {
      timeline.after(toMs, () => process.deliver(() => fail("no-connection", "ECONNREFUSED", false)));
      return;
    }
    const write: Write | undefined = isRead
      ? undefined
      : {
          ...{ process, method: request.method, path: request.path, sentMs: timeline.nowMs },
          storeRefusesForMs: timeline.nowMs - (process.refusedMs ?? timeline.nowMs),
        };
    if (write) {
      this.writes.push(write);
      this.#note(
        () => `${process.name} sends ${request.method} ${request.path} ${JSON.stringify(request.body)}`,
      );
    } else this.#note(() => `${process.name} reads ${request.path}`);
    const respond = (response: ServiceResponse, isUnchanged: boolean) =>
      process.deliver(() => {
        if (write && !isOver && isUnchanged) write.isAcknowledged = true;
        end(() => resolve(this.#toHttp(response)));
      });
    timeline.after(toMs, () => {
      const substitute = this.#substitute(request, trouble);
      const refusal = substitute?.withoutRequest ? substitute.response : this.#limit(request);
      if (refusal) {
        timeline.after(backMs, () => respond(refusal, true));
        return;
      }
      timeline.after(workMs * part, () => {
        const carriedOut = this.#carryOut(request, write);
        const unlike = trouble === "other-code" ? changeCode(carriedOut) : undefined;
        const response = substitute?.response ?? unlike ?? carriedOut;
        if (write && response.status < 300) this.#lastResponses.set(toResponseKey(request), response);
        if (trouble === "lost") return;
        const leftMs = workMs * (1 - part) + backMs;
        timeline.after(leftMs, () => {
          if (trouble === "cut") process.deliver(() => fail("connection-lost", "ECONNRESET", true));
          else respond(response, response === carriedOut);
        });
      });
    });
  }

  /** Returns the response that a gateway or proxy sends, with or without forwarding the request. */
  #substitute(
    request: ServiceRequest,
    trouble: RequestFault | undefined,
  ): { readonly response: ServiceResponse; readonly withoutRequest: boolean } | undefined {
    if (trouble === "unavailable") return { response: unavailable, withoutRequest: true };
    if (trouble === "proxy-page") return { response: proxyPage, withoutRequest: true };
    const last = trouble === "repeated" ? this.#lastResponses.get(toResponseKey(request)) : undefined;
    const response = trouble === "gateway-page" ? gatewayPage : last;
    return response && { response, withoutRequest: this.#random() < 0.5 };
  }

  #limit({ method }: ServiceRequest): ServiceResponse | undefined {
    const { perSecond, busyUntilMs = 0, retryAfter = 1 } = this.facts;
    if (method !== "POST") return undefined;
    if (this.timeline.nowMs - this.#startMs < busyUntilMs) return createRateLimitResponse(retryAfter);
    if (perSecond === undefined) return undefined;
    const second = Math.floor(this.timeline.nowMs / 1_000);
    if (second !== this.#window.second) this.#window = { second, admitted: 0 };
    return ++this.#window.admitted > perSecond ? createRateLimitResponse(retryAfter) : undefined;
  }

  #carryOut({ method, path, body }: ServiceRequest, write: Write | undefined): ServiceResponse {
    const { account, facts } = this;
    const [route = path, search] = path.split("?");
    const query = new URLSearchParams(search);
    if (query.has("page_size"))
      query.set("page_size", `${Math.min(facts.pageSize, Number(query.get("page_size")))}`);
    const resource = findCollection(route);
    if (facts.order === "each-page" && !this.isCalm && method === "GET")
      shuffle(this.rows(resource), this.#random);
    const nameAt = (at: string) => {
      const row = this.rows(resource).find(({ id }) => at.endsWith(`/${id}`));
      return row && nameOf(resource, row);
    };
    const formerName = method === "PATCH" ? nameAt(route) : undefined;
    const before = write && [...this.rows(resource)];
    const putBack = query.has("page") ? this.#omit(resource, query.get("page") === "1") : undefined;
    const handled = this.#handle({
      ...{ method, path: route, query, apiKey, bearer: undefined, contentType: "application/json" },
      ...{ text: body === undefined ? "" : JSON.stringify(body), url: `${origin}${route}` },
    });
    const response = putBack?.(handled) ?? handled;
    if (write && method === "PATCH") Object.assign(write, { formerName, laterName: nameAt(route) });
    if (write && before && response.status < 300) {
      write.doneMs = this.timeline.nowMs;
      const rows = account.world[resource] ?? [];
      const row =
        method === "DELETE"
          ? before.find((one) => !rows.includes(one))
          : rows.find((one) => !before.includes(one));
      if (row) write.row = { ...row };
      const name = row && nameOf(resource, row);
      if (method === "POST") write.namesakes = before.filter((one) => nameOf(resource, one) === name);
    }
    if (write) {
      write.status = response.status;
      const { name: by } = write.process;
      const what = write.row ? `${nameOf(resource, write.row)} ${write.row.id.slice(-4)}` : route;
      this.#note(() => `the service carries out ${method} ${what} of ${by}: ${response.status}`);
    }
    return response;
  }

  /** Removes a row until the list is read. The returned function restores the row and adds it to the list's count. */
  #omit(resource: string, isFirstPage: boolean): ((page: ServiceResponse) => ServiceResponse) | undefined {
    const { omits } = this.facts;
    const rows = this.rows(resource);
    if (!omits || this.isCalm || resource !== "contexts" || rows.length === 0) return undefined;
    if (isFirstPage) this.#lists++;
    const at = omits === "newest" ? rows.length - 1 : this.#lists % rows.length;
    const hidden = rows.splice(at, 1);
    return (page) => {
      rows.splice(at, 0, ...hidden);
      const { data, ...envelope } = JSON.parse(page.body) as { readonly data: { readonly count?: number } };
      if (data?.count === undefined) return page;
      return { ...page, body: JSON.stringify({ ...envelope, data: { ...data, count: data.count + 1 } }) };
    };
  }

  #toHttp({ status, headers, body }: ServiceResponse): HttpResponse {
    return { status, headers: { date: new Date(this.nowMs()).toUTCString(), ...headers }, text: body };
  }
}

/** Returns the kind of a call for faults that affect only one kind (see `Fault.of`). */
function findKind({ method, path }: ServiceRequest): string {
  if (method !== "GET") return "write";
  return path.includes("?") ? "list page" : "read";
}

/** Returns the account's collection for a path. */
export function findCollection(path: string): string {
  const [, , name = ""] = path.split("/");
  return name === "llm-configurations" ? "llmConfigurations" : name;
}

export function nameOf(resource: string, row: Row): string {
  return String((row as unknown as Record<string, unknown>)[nameFields[resource] ?? "name"]);
}

const unavailable: ServiceResponse = {
  status: 503,
  headers: {},
  body: '{"code":5000,"data":null,"message":"later"}',
};

const proxyPage: ServiceResponse = {
  status: 404,
  headers: { "content-type": "text/html" },
  body: "<html><body>Not Found</body></html>",
};

const gatewayPage: ServiceResponse = {
  status: 503,
  headers: { "content-type": "text/html", "retry-after": "1" },
  body: "<html><body>Service Unavailable</body></html>",
};

/** Returns a successful response with another code in its envelope. */
function changeCode(response: ServiceResponse): ServiceResponse {
  if (response.status >= 300) return response;
  return { ...response, body: JSON.stringify({ ...JSON.parse(response.body), code: 2_001 }) };
}

function toResponseKey({ method, path }: ServiceRequest): string {
  return `${method} ${findCollection(path)}`;
}

function createRateLimitResponse(seconds: number): ServiceResponse {
  return {
    status: 429,
    headers: { "retry-after": `${seconds}` },
    body: '{"code":4290,"data":null,"message":"too many requests"}',
  };
}

function shuffle(rows: Row[], random: Random): void {
  for (let last = rows.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [rows[last], rows[other]] = [rows[other] as Row, rows[last] as Row];
  }
}
