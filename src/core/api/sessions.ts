import * as z from "zod";
import { misshapen } from "./failure.js";
import { type Page, readPage } from "./pages.js";
import { request, type Send } from "./request.js";
import { amount, ask, flag, id, text } from "./shape.js";

/** The roles are user, avatar and future ones; the units of the times are not documented. */
const utterance = z.looseObject({ role: text, transcript: text });

const transcriptPage = z.object({
  session_active: flag,
  next_timestamp: amount,
  transcript_data: z.array(utterance),
});

/** What was said in a session, in order, with the keys of the service; so far, if it is active. */
export type Transcript = Readonly<Omit<z.output<typeof transcriptPage>, "next_timestamp">>;

const entry = z.looseObject({ id });

const creditsShape = z.object({ credits_left: z.coerce.string().regex(/^-?\d+(\.\d+)?$/) });

/** The request for a session (§4.5) and the response, which is not documented: whatever is in them. */
type Fields = Readonly<Record<string, unknown>>;

export interface TokenRequestOptions {
  /** The body holds secrets: nothing of the response is quoted. */
  readonly confidential?: boolean;
  /** Until the request is sent; from then on it is finished. */
  readonly signal?: AbortSignal | undefined;
}

/** Sessions are listed and started, not managed (§4.5); what is more is beyond the document. */
export interface Sessions {
  /**
   * One page, 1 being the first, with its entries as answered, whatever their shape. `size` is 1 to 100 (§8). With
   * `once` the request is not repeated. `filter`, a part of the query, is beyond the document.
   */
  page(
    type: "active" | "historic",
    number: number,
    size: number,
    options?: { readonly once?: boolean; readonly filter?: Readonly<Record<string, string>> | undefined },
  ): Promise<Page<unknown>>;
  /** The response allows its holder to join: show it only if asked for. */
  token(body: Fields, options?: TokenRequestOptions): Promise<Fields>;
  /** One session, active or ended, as answered. */
  read(id: string): Promise<{ readonly id: string }>;
  /** Never repeated once it may have been sent. */
  stop(id: string): Promise<void>;
  transcript(id: string): Promise<Transcript>;
  /** What the account has left: a decimal number, as answered. */
  credits(): Promise<string>;
}

export function sessions(send: Send): Sessions {
  return {
    page(type, number, size, { filter, ...options } = {}) {
      const query = { type, ...filter, page: `${number}`, page_size: `${size}` };
      return readPage(send, "/v1/sessions", z.unknown(), query, options);
    },
    token: (body, options = {}) =>
      ask(
        send,
        request("POST", "/v1/sessions/token", { body, hasSecretResponse: true, ...options }),
        z.looseObject({}),
      ),
    read: (id) => ask(send, request("GET", "/v1/sessions/{}", { ids: [id], isBeyondDocument: true }), entry),
    async stop(id) {
      await send(request("POST", "/v1/sessions/stop", { body: { session_id: id }, isBeyondDocument: true }));
    },
    transcript: (id) => readTranscript(send, id),
    async credits() {
      const sent = request("GET", "/v1/users/credits", { isBeyondDocument: true });
      return (await ask(send, sent, creditsShape)).credits_left;
    },
  };
}

const mostPages = 1_000;

/**
 * Reads on from `next_timestamp` until nothing follows. What pages have in common is taken once: by its time, or, where the
 * service sends none, if a page is the one before and nothing follows.
 */
async function readTranscript(send: Send, id: string): Promise<Transcript> {
  const said: z.output<typeof utterance>[] = [];
  const known = new Set<string>();
  let start = 0;
  let before = "";
  for (let pages = 1; ; pages++) {
    const query: Record<string, string> = start > 0 ? { start_timestamp: `${start}` } : {};
    const template = "/v1/sessions/{}/transcript";
    const sent = request("GET", template, { ids: [id], query, isBeyondDocument: true });
    const { session_active, next_timestamp: next, transcript_data } = await ask(send, sent, transcriptPage);
    const page = JSON.stringify(transcript_data);
    const isAgain = page === before && next !== undefined && next <= start;
    before = page;
    const isTimed = (line: object) => Object.values(line).some((value) => typeof value === "number");
    const fresh = transcript_data.filter((line) => !isAgain && !known.has(JSON.stringify(line)));
    for (const line of fresh.filter(isTimed)) known.add(JSON.stringify(line));
    said.push(...fresh);
    // While the session is active, `next_timestamp` says where to ask later.
    const isOver = fresh.length === 0 && (session_active || (next ?? 0) <= start);
    if (next === undefined || isOver) return { session_active, transcript_data: said };
    if (pages === mostPages)
      throw misshapen(sent, undefined, "data.next_timestamp", "the transcript is endless");
    start = next;
  }
}
