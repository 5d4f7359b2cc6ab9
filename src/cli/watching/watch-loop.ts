import type { Service } from "../../api/index.js";
import {
  interruptionDocument,
  type SessionEventDocument,
  sessionEventDocument,
  sessionSummaryDocument,
  shownToday,
} from "../../documents/index.js";
import type { WatchView } from "../../render/index.js";
import {
  type DurationUnit,
  followSessions,
  readEnded,
  type SessionEvent,
  SessionWatch,
} from "../../sessions/index.js";
import type { WatchDisplay } from "./display.js";
import { mayPass, type Outages } from "./outages.js";
import { pauseMs } from "./pause.js";

/** How to watch. */
export interface WatchOptions {
  readonly service: Service;
  readonly intervalMs: number;
  readonly timeZone: string;
  readonly durationUnit: DurationUnit;
  /** The beginning of the day of a time, both in ms. */
  readonly startOfDay: (ms: number) => number;
  /** Wall clock in ms. */
  readonly now: () => number;
  /** Waits this long, or until the signal aborts; never throws. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Hears of each request of the service. */
  readonly outages: Outages;
}

/** Looks at the sessions of an account again and again. All times are the service's. */
export class WatchLoop {
  readonly #options: WatchOptions;
  readonly #sessions: SessionWatch;
  readonly #follower: ReturnType<typeof followSessions>;
  /** The service's clock less ours. */
  #offsetMs = 0;
  #seenAt: number | undefined;
  #unknown: Readonly<Record<string, number>> = {};
  #setbacks = 0;
  #day: number | undefined;
  /** The code of the problem that was told. */
  #toldProblem: string | undefined;
  #display: Pick<WatchDisplay, "event" | "change"> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#sessions = new SessionWatch(options.startOfDay);
    this.#follower = followSessions(options.service, { now: options.now });
  }

  /** Shows what is seen, until the signal aborts. Throws what no later look would mend, such as a refused key. */
  async run(display: Pick<WatchDisplay, "event" | "change">): Promise<void> {
    const { service, signal, intervalMs, sleep, outages } = this.#options;
    this.#display = display;
    while (!signal.aborted) {
      const throttledBefore = service.requests.throttled;
      outages.next(undefined);
      let askedMs: number | undefined;
      try {
        await this.#look();
        this.#setbacks = service.requests.throttled > throttledBefore ? this.#setbacks + 1 : 0;
      } catch (error) {
        if (signal.aborted) return;
        if (!mayPass(error, this.#seenAt !== undefined)) throw error;
        this.#setbacks += 1;
        askedMs = error.retryAfterMs;
        outages.missed(error);
      }
      const waitMs = pauseMs(intervalMs, this.#setbacks, askedMs);
      outages.next(this.#clock() + waitMs);
      this.tick();
      await sleep(waitMs, signal);
    }
  }

  /** Time has passed: an outage may be noticed, and the view shows other ages. */
  tick(): void {
    const trouble = this.#options.outages.at(this.#clock());
    if (trouble && trouble.code !== this.#toldProblem) {
      const { code, message, since } = trouble;
      this.#toldProblem = code;
      this.#display?.event(interruptionDocument({ at: this.#clock(), since, problem: { code, message } }));
    }
    this.#display?.change();
  }

  /** What is to be shown now. */
  view(): WatchView {
    const { service, timeZone, intervalMs, durationUnit } = this.#options;
    const now = this.#clock();
    const trouble = this.#options.outages.at(now);
    return {
      ...{ service: service.baseUrl, now, timeZone, intervalMs, durationUnit, trouble },
      slowedDown: this.#setbacks > 0,
      seen: this.#seenAt === undefined ? undefined : this.#seen(this.#seenAt, now),
    };
  }

  #seen(at: number, now: number): WatchView["seen"] {
    const { active, ended } = this.#sessions;
    const today = shownToday(this.#sessions.today(now));
    return { at, active, ended, today, unknown: this.#unknown };
  }

  async #look(): Promise<void> {
    const { service, now, startOfDay } = this.#options;
    const { at, active, ended, unknown } = await this.#follower.poll();
    const events =
      this.#seenAt === undefined
        ? this.#sessions.begin({ at, active, ended: await readEnded(service, startOfDay(at)) })
        : this.#sessions.see({ at, active, ended });
    this.#offsetMs = (service.serverTime() ?? now()) - now();
    this.#unknown = unknown;
    const since = this.#seenAt;
    this.#seenAt = at;
    this.#options.outages.seen(at);
    this.#tell(events, since);
  }

  #tell(events: readonly SessionEvent[], since: number | undefined): void {
    const tell = (event: SessionEventDocument) => this.#display?.event(event);
    const at = this.#clock();
    if (this.#toldProblem !== undefined) tell(interruptionDocument({ at, since }));
    this.#toldProblem = undefined;
    for (const event of events) tell(sessionEventDocument(event));
    const today = this.#sessions.today(at);
    // Not for the credits alone, which grow as long as anything is active.
    if (events.length === 0 && this.#day === today.since) return;
    this.#day = today.since;
    const { active } = this.#sessions;
    tell(sessionSummaryDocument({ at, active, today, unknown: this.#unknown }));
  }

  #clock(): number {
    return this.#options.now() + this.#offsetMs;
  }
}
