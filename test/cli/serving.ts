import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { createEmptyDataset, type Session } from "../../src/emulator/index.js";
import {
  type CommandResult,
  createStopper,
  type Project,
  type ProjectSetup,
  type Setting,
  startProject,
} from "./hosting.js";

export const begin = Date.parse("2026-11-22T06:00:00Z");
const files = { "avatarops.yaml": "contexts: {}\n" };

/** Returns an ended session with these fields. */
export function createEndedSession(fields: Partial<Session>): Session {
  return {
    id: "5e000000-0000-4000-8000-000000000000",
    avatar_id: "a0000000-0000-4000-8000-000000000000",
    created_at: "2026-01-01T00:00:00.000Z",
    ...{ updated_at: "2026-01-01T00:01:00.000Z", ended_at: "2026-01-01T00:01:00.000Z" },
    ...{ end_reason: "CLIENT_DISCONNECTED", source: "API", mode: "FULL", is_sandbox: false },
    ...{ max_session_duration: 600, duration: 60, credits_consumed: 1, ...fields },
  };
}

/** Starts a project and its account on a shared clock, which moves only on request. */
export async function startProjectWithClock(setup: ProjectSetup = {}) {
  let clock = begin;
  let count = 0;
  const project = await startProject({
    files,
    world: createEmptyDataset(),
    ...setup,
    emulator: { now: () => clock, ...setup.emulator },
  });
  return {
    ...project,
    now: () => clock,
    pass(ms: number) {
      clock += ms;
    },
    /** Starts a session with this maximum duration. */
    session(seconds: number, fields: Partial<Session> = {}): Session {
      const id = `5e000000-0000-4000-8000-${String(++count).padStart(12, "0")}`;
      const created_at = new Date(clock).toISOString();
      return project.emulator.addSession({ id, created_at, max_session_duration: seconds, ...fields });
    },
  };
}

export type ClockedProject = Awaited<ReturnType<typeof startProjectWithClock>>;

/** A running `sessions serve` between two polls. */
export interface SessionsServer {
  readonly url: string;
  /** Pauses so far, in ms. */
  readonly pauses: readonly number[];
  get(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ readonly status: number; readonly text: string }>;
  /** Returns the /metrics lines that contain this string, without comments. */
  metrics(part?: string): Promise<string[]>;
  /** Advances the clock and waits for the next poll to end. */
  next(ms?: number): Promise<void>;
}

/** Runs `sessions serve` in this process. The command polls when `during` calls `next`, and stops after `during`. */
export async function runSessionsServer(
  project: ClockedProject | (Project & Pick<ClockedProject, "now" | "pass">),
  argv: readonly string[],
  during: (served: SessionsServer) => Promise<void>,
  setting: Setting = {},
): Promise<CommandResult> {
  const pauses: number[] = [];
  let url = "";
  const { stop, onStoppable } = createStopper();
  let resume = () => {};
  let paused = () => {};
  let isPaused = new Promise<void>((resolve) => (paused = resolve));
  const ran = project.avataropsWith(
    {
      now: project.now,
      onStdout: (written) => {
        url ||= written.trim();
      },
      onStoppable,
      pause: (ms, signal) =>
        new Promise((resolve) => {
          pauses.push(ms);
          resume = resolve;
          signal?.addEventListener("abort", () => resolve());
          paused();
        }),
      ...setting,
    },
    ...["sessions", "serve", "--listen", "127.0.0.1:0", ...argv],
  );
  // Uses `http`, because `fetch` does not allow another Host header.
  const get: SessionsServer["get"] = async (path, headers = {}) => {
    const request = http.get(url + path, { headers, agent: false });
    const [answer] = (await once(request, "response")) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, text: await text(answer) };
  };
  const served: SessionsServer = {
    get url() {
      return url;
    },
    pauses,
    get,
    async metrics(part = "") {
      const shown = (await get("/metrics")).text;
      return shown.split("\n").filter((line) => line !== "" && !line.startsWith("#") && line.includes(part));
    },
    async next(ms = 30_000) {
      project.pass(ms);
      isPaused = new Promise((resolve) => (paused = resolve));
      resume();
      await Promise.race([isPaused, ran]);
    },
  };
  await Promise.race([isPaused, ran]);
  if (url === "" || pauses.length === 0) return ran;
  try {
    await during(served);
  } finally {
    stop("SIGTERM");
  }
  return ran;
}
