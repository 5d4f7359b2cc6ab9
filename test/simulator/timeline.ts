export interface TimelineEvent {
  readonly atMs: number;
  readonly order: number;
  /** Undefined after cancellation. */
  run: (() => void) | undefined;
}

/** Maximum number of events. A simulated life with more events is in a loop. */
const maxEvents = 100_000;

/** Virtual time, with events ordered by time, then by creation. */
export class Timeline {
  nowMs: number;
  /** Number of events that have run. */
  count = 0;
  /** Binary heap. */
  readonly #events: TimelineEvent[] = [];
  #made = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  /** Schedules an event. Rounds the delay up to whole milliseconds, because sums of fractions are not exact. */
  after(ms: number, run: () => void): TimelineEvent {
    const event = { atMs: this.nowMs + Math.max(0, Math.ceil(ms)), order: this.#made++, run };
    this.#push(event);
    return event;
  }

  /** Runs events until none are left or `isOver` returns true. */
  async run(isOver: () => boolean = () => false): Promise<void> {
    await waitUntilDrained();
    while (!isOver()) {
      const event = this.#pop();
      if (!event) return;
      if (!event.run) continue;
      this.nowMs = event.atMs;
      if (++this.count > maxEvents) throw new Error(`The life does not end: ${maxEvents} events`);
      event.run();
      // A tick is enough, because this code already runs in a microtask.
      await new Promise(process.nextTick);
    }
  }

  #push(event: TimelineEvent): void {
    const events = this.#events;
    let at = events.length;
    events.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = events[above] as TimelineEvent;
      if (isBefore(parent, event)) break;
      events[at] = parent;
      at = above;
    }
    events[at] = event;
  }

  #pop(): TimelineEvent | undefined {
    const events = this.#events;
    const [first] = events;
    const last = events.pop();
    if (first === undefined || last === undefined || events.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= events.length) break;
      if (
        below + 1 < events.length &&
        isBefore(events[below + 1] as TimelineEvent, events[below] as TimelineEvent)
      )
        below++;
      if (isBefore(last, events[below] as TimelineEvent)) break;
      events[at] = events[below] as TimelineEvent;
      at = below;
    }
    events[at] = last;
    return first;
  }
}

function isBefore(one: TimelineEvent, other: TimelineEvent): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/**
 * Resolves when no promise has work left: Node runs a tick only after the last microtask. Does not wait for real timers
 * or input, so a simulated life that needs them stops at once.
 */
function waitUntilDrained(): Promise<void> {
  return new Promise((resolve) => {
    queueMicrotask(() => process.nextTick(resolve));
  });
}
