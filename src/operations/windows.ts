import { Cron } from "croner";
import type { Notice } from "../core/engine/index.js";
import type { Manifest, Window } from "../core/manifest/index.js";

/*
 * Whether the windows of a project let it be applied now. As in Argo CD: an active deny window wins; where there are allow
 * windows, one of them must be active; without windows, everything is allowed. `manual_sync` frees what a person starts: of
 * deny windows, all active ones must have it, and of allow windows, all.
 *
 * A window opens when its schedule says so in its time zone, and is open for its duration in real time: over a change of the
 * clocks it closes an hour earlier or later by the clock. A time that the clocks skip counts at the same distance from
 * midnight, and a time that they show twice counts once.
 */

/** Why a project must not be changed now, and from when it may be; undefined if it may. */
export function closedWindows(
  manifest: Pick<Manifest, "windows">,
  nowMs: number,
  isManual: boolean,
): string | undefined {
  const opened = openings(manifest);
  const blocking = findBlocking(opened, nowMs, isManual);
  if (!blocking) return undefined;
  const opensAt = findOpen(opened, nowMs, isManual);
  const [first] = blocking;
  const what =
    first?.window.kind === "deny" ? `The deny window ${first.name} is active` : "No allow window is active";
  const next =
    opensAt === undefined
      ? "None opens in the time to come"
      : `Changes are allowed from ${formatTime(opensAt, first?.window)}`;
  return `${what}: this project is only changed within its \`windows\`. ${next}.`;
}

/** The notice of closed windows. */
export function windowNotices(manifest: Pick<Manifest, "windows">, nowMs: number): Notice[] {
  const closed = closedWindows(manifest, nowMs, false);
  if (!closed) return [];
  const who = findBlocking(openings(manifest), nowMs, true) ? "Apply and sync change" : "Sync changes";
  return [{ code: "window-closed", message: `${closed} ${who} nothing before that.` }];
}

const openings = ({ windows = [] }: Pick<Manifest, "windows">) => windows.map((one) => new Opening(one));

class Opening {
  readonly window: Window;
  readonly #cron: Cron;

  constructor(window: Window) {
    this.window = window;
    this.#cron = new Cron(window.schedule, {
      timezone: window.timezone ?? "UTC",
      paused: true,
      mode: "5-part",
    });
  }

  get name(): string {
    return `"${this.window.description ?? this.window.schedule}"`;
  }

  /** When it opens next after a time, in ms. */
  opensAfter(ms: number): number | undefined {
    return this.#cron.nextRun(new Date(ms))?.getTime();
  }

  isActive(ms: number): boolean {
    const opened = this.opensAfter(ms - this.window.durationMs);
    return opened !== undefined && opened <= ms;
  }

  /** When it opens, or when the last of its openings ends: they can overlap. */
  changesAfter(ms: number): number | undefined {
    if (!this.isActive(ms)) return this.opensAfter(ms);
    const [last] = this.#cron.previousRuns(1, new Date(ms + 1_000));
    return last && last.getTime() + this.window.durationMs;
  }
}

/** The windows that stand in the way; undefined if none does. */
function findBlocking(
  windows: readonly Opening[],
  ms: number,
  isManual: boolean,
): readonly Opening[] | undefined {
  const isFree = (some: readonly Opening[]) => isManual && some.every(({ window }) => window.manualSync);
  const denying = windows.filter((one) => one.window.kind === "deny" && one.isActive(ms));
  if (denying.length > 0) return isFree(denying) ? undefined : denying;
  const allowing = windows.filter(({ window }) => window.kind === "allow");
  if (allowing.length === 0 || allowing.some((one) => one.isActive(ms))) return undefined;
  return isFree(allowing) ? undefined : allowing;
}

const yearMs = 366 * 24 * 3_600_000;
/** So often windows do not open and close before they let somebody in, unless they never do. */
const mostChanges = 100;

function findOpen(windows: readonly Opening[], nowMs: number, isManual: boolean): number | undefined {
  let ms = nowMs;
  for (let change = 0; change < mostChanges; change++) {
    const next = windows.map((one) => one.changesAfter(ms)).filter((time) => time !== undefined);
    if (next.length === 0) return undefined;
    ms = Math.min(...next);
    if (ms > nowMs + yearMs) return undefined;
    if (!findBlocking(windows, ms, isManual)) return ms;
  }
  return undefined;
}

/** "2026-11-24 07:00 UTC (08:00 in Europe/Berlin)". */
function formatTime(ms: number, window: Window | undefined): string {
  const utc = `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const { timezone: timeZone = "UTC" } = window ?? {};
  if (timeZone === "UTC") return utc;
  const local = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(
    ms,
  );
  return `${utc} (${local} in ${timeZone})`;
}
