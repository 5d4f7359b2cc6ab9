import type { Emulator, Session } from "../../src/emulator/index.js";
import { type CommandResult, createStopper, type Project, type Setting, startProject } from "./hosting.js";

/** Watched account and its clock, which moves only in the pauses between polls. */
export interface WatchedAccount {
  readonly emulator: Emulator;
  /** Pauses between polls, in ms. */
  readonly pauses: number[];
  /** Starts a session `agoMs` before the current time. */
  begin(id: number, agoMs?: number, fields?: Partial<Session>): void;
  /** Ends the session now. */
  end(id: number, reason?: string, fields?: Partial<Session>): void;
}

/** Runs during the pause between two polls. */
export type Step = (scene: WatchedAccount) => unknown;

export interface WatchSetting extends Pick<Setting, "environment" | "onClosable"> {
  /** Initial time of the service's clock. */
  readonly begun?: string;
  /** Offset of the local clock from the service's clock, in ms. */
  readonly skewMs?: number;
  /** Default: a manifest without declarations. */
  readonly manifest?: string;
  /** Runs before the first poll. */
  readonly before?: Step;
}

/** Runs `sessions watch` with one step per pause, then stops it as Ctrl-C does. */
export async function watch(
  steps: readonly Step[],
  setting: WatchSetting = {},
  ...argv: string[]
): Promise<CommandResult & { readonly scene: WatchedAccount }> {
  const { begun = "2026-11-22T14:00:00Z", skewMs = 0, before, ...more } = setting;
  const { manifest = "contexts: {}\n", ...host } = more;
  const clock = { now: Date.parse(begun) };
  const project = await startProject({
    files: { "avatarops.yaml": manifest },
    emulator: { now: () => clock.now, behavior: { extraFields: true } },
  });
  const scene = createScene(project, clock);
  const { stop, onStoppable } = createStopper();
  const facts: Setting = {
    ...host,
    now: () => clock.now + skewMs,
    // The clock stands still, so no progress is due.
    waits: { backoffMs: 1, settleMs: 0, tickMs: 0, progressMs: 3_600_000 },
    onStoppable,
    async pause(ms) {
      scene.pauses.push(ms);
      clock.now += ms;
      const step = steps[scene.pauses.length - 1];
      if (step) await step(scene);
      else stop("SIGINT");
    },
  };
  await before?.(scene);
  const ran = await project.avataropsWith(facts, "sessions", "watch", ...argv);
  return { ...ran, scene };
}

function createScene({ emulator }: Project, clock: { readonly now: number }): WatchedAccount {
  const sessions = () => emulator.world.sessions as Session[];
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    ...{ emulator, pauses: [] },
    begin(id, agoMs = 0, fields = {}) {
      const created_at = iso(clock.now - agoMs);
      const dated = { id: createSessionId(id), created_at, updated_at: created_at };
      emulator.addSession({ ...dated, max_session_duration: 1_000_000, ...fields });
    },
    end(id, end_reason = "USER_CLOSED", fields = {}) {
      const session = sessions().find((one) => one.id === createSessionId(id));
      if (!session) throw new Error(`There is no session ${id}`);
      const ended_at = iso(clock.now);
      const duration = (clock.now - Date.parse(session.created_at)) / 1000;
      Object.assign(session, { ended_at, updated_at: ended_at, end_reason, duration, ...fields });
    },
  };
}

/** Returns a session id, such as `5e000000-0000-4000-8000-000000000007`. */
export function createSessionId(number: number): string {
  return `5e000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** Returns the printed lines, with dates removed from their times. */
export function listLines(stdout: string): string[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT(\d\d:\d\d:\d\d)Z/g, "$1"));
}
