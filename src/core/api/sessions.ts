import * as z from "zod";
import { createShapeError } from "./failure.js";
import { type Page, readPage } from "./pages.js";
import { request, type SendRequest } from "./request.js";
import { amount, flag, id, requestShape, text } from "./shape.js";

/** Utterance with the role user, avatar or a future value. Time units are undocumented. */
const utterance = z.looseObject({ role: text, transcript: text });

const transcriptPage = z.object({
  session_active: flag,
  next_timestamp: amount,
  transcript_data: z.array(utterance),
});

/** A session's utterances so far, in order. Keys are spelled as in the service. */
export type Transcript = Readonly<Omit<z.output<typeof transcriptPage>, "next_timestamp">>;

const entry = z.looseObject({ id });

const creditsShape = z.object({ credits_left: z.coerce.string().regex(/^-?\d+(\.\d+)?$/) });

/** Body of a token request (§4.5), or of any response. Response fields are undocumented. */
type BodyFields = Readonly<Record<string, unknown>>;

export interface TokenRequestOptions {
  /** Whether the body contains secrets. If so, the response is never quoted. */
  readonly confidential?: boolean;
  /** Signal that cancels an unsent request. A sent request finishes. */
  readonly signal?: AbortSignal | undefined;
}

/** Session endpoints. Only listing and starting are documented (§4.5). */
export interface Sessions {
  /**
   * Reads one page (from 1), with entries of any shape. `size` is 1 to 100 (§8). `filter` is added to the query
   * (undocumented), and `once` disables retries.
   */
  readPage(
    type: "active" | "historic",
    number: number,
    size: number,
    options?: { readonly once?: boolean; readonly filter?: Readonly<Record<string, string>> | undefined },
  ): Promise<Page<unknown>>;
  /** Returns a token that lets anyone join a session. Show it only on request. */
  createToken(body: BodyFields, options?: TokenRequestOptions): Promise<BodyFields>;
  /** Reads one session, active or ended. */
  read(id: string): Promise<{ readonly id: string }>;
  /** Stops a session. Never retried once it may have been sent. */
  stop(id: string): Promise<void>;
  readTranscript(id: string): Promise<Transcript>;
  /** Returns the account's remaining credits, as a decimal number. */
  readCredits(): Promise<string>;
}

export function createSessionsClient(send: SendRequest): Sessions {
  return {
    readPage(type, number, size, { filter, ...options } = {}) {
      const query = { type, ...filter, page: `${number}`, page_size: `${size}` };
      return readPage(send, "/v1/sessions", z.unknown(), query, options);
    },
    createToken: (body, options = {}) =>
      requestShape(
        send,
        request("POST", "/v1/sessions/token", { body, hasSecretResponse: true, ...options }),
        z.looseObject({}),
      ),
    read: (id) =>
      requestShape(send, request("GET", "/v1/sessions/{}", { ids: [id], isBeyondDocument: true }), entry),
    async stop(id) {
      await send(request("POST", "/v1/sessions/stop", { body: { session_id: id }, isBeyondDocument: true }));
    },
    readTranscript: (id) => readTranscript(send, id),
    async readCredits() {
      const sent = request("GET", "/v1/users/credits", { isBeyondDocument: true });
      return (await requestShape(send, sent, creditsShape)).credits_left;
    },
  };
}

const maxPages = 1_000;

/**
 * Reads pages from `next_timestamp` until a page has nothing new. Drops lines that were already read, because pages can
 * overlap. If lines have no times, only drops a page that equals the previous page.
 */
async function readTranscript(send: SendRequest, id: string): Promise<Transcript> {
  const lines: z.output<typeof utterance>[] = [];
  const known = new Set<string>();
  let start = 0;
  let previous = "";
  for (let pages = 1; ; pages++) {
    const query: Record<string, string> = start > 0 ? { start_timestamp: `${start}` } : {};
    const template = "/v1/sessions/{}/transcript";
    const sent = request("GET", template, { ids: [id], query, isBeyondDocument: true });
    const {
      session_active,
      next_timestamp: next,
      transcript_data,
    } = await requestShape(send, sent, transcriptPage);
    const page = JSON.stringify(transcript_data);
    const isRepeated = page === previous && next !== undefined && next <= start;
    previous = page;
    const isTimed = (line: object) => Object.values(line).some((value) => typeof value === "number");
    const fresh = transcript_data.filter((line) => !isRepeated && !known.has(JSON.stringify(line)));
    for (const line of fresh.filter(isTimed)) known.add(JSON.stringify(line));
    lines.push(...fresh);
    // In an active session, a page without new lines is the last. `next_timestamp` is only where to continue later.
    const isOver = fresh.length === 0 && (session_active || (next ?? 0) <= start);
    if (next === undefined || isOver) return { session_active, transcript_data: lines };
    if (pages === maxPages)
      throw createShapeError(sent, undefined, "data.next_timestamp", "the transcript does not end");
    start = next;
  }
}
