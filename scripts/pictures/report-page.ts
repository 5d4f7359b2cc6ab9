import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { createEmptyDataset, type Session, startEmulator } from "../../src/emulator/index.js";

/**
 * Renders `sessions report` with the built command, for a sample account of a shop. The account has two
 * months of sessions: more on weekdays, in the afternoon and in the second month.
 */

const program = path.resolve(import.meta.dirname, "../../dist/cli/main.js");
const nowMs = Date.parse("2026-11-22T18:30:00Z");
const dayMs = 86_400_000;

/** Returns the HTML of the report. */
export async function renderReport(): Promise<string> {
  const emulator = await startEmulator({
    world: { ...createEmptyDataset(), sessions: createSessions() },
    now: () => nowMs,
  });
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-picture-"));
  try {
    await writeFile(path.join(folder, "avatarops.yaml"), "contexts: {}\n");
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, "sessions", "report", "--since", "30d", "--by", "source", "--format", "html"],
      {
        cwd: folder,
        env: { PATH: process.env.PATH, AVATAROPS_BASE_URL: emulator.url, AVATAROPS_API_KEY: "test-key" },
        maxBuffer: 10_000_000,
      },
    );
    return stdout.replaceAll(emulator.url, "https://api.example.com");
  } finally {
    await emulator.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function createSessions(): Session[] {
  const random = createRandom();
  return Array.from({ length: 60 }, (_, day) => {
    const midnight = Math.floor(nowMs / dayMs - 59 + day) * dayMs;
    const isWeekend = [0, 6].includes(new Date(midnight).getUTCDay());
    const many = Math.round((isWeekend ? 14 : 42) * (0.7 + day / 120) * (0.8 + random() * 0.4));
    return Array.from({ length: many }, (_, nth) =>
      createSession(midnight + pickStart(random), day * 100 + nth, random),
    );
  })
    .flat()
    .filter(({ updated_at }) => Date.parse(updated_at) < nowMs);
}

/** Returns a start time in ms after midnight. Most sessions start around 14:00, none at night. */
function pickStart(random: () => number): number {
  return (14 + (random() + random() + random() - 1.5) * 5.4) * 3_600_000;
}

function createSession(startMs: number, nth: number, random: () => number): Session {
  const is_sandbox = random() < 0.06;
  const isLite = random() < 0.2;
  const duration = is_sandbox ? 60 : Math.min(1800, Math.round(40 + 900 * random() ** 3 + 160 * random()));
  const ended_at = new Date(startMs + duration * 1000).toISOString();
  return {
    id: `5e000000-0000-4000-8000-${String(nth).padStart(12, "0")}`,
    created_at: new Date(startMs).toISOString(),
    updated_at: ended_at,
    ended_at,
    avatar_id: "a0000000-0000-4000-8000-000000000001",
    source: pickValue(random(), [
      ["API", 0.52],
      ["EMBED", 0.8],
      ["APP", 0.95],
      ["DEMO", 1],
    ]),
    mode: isLite ? "LITE" : "FULL",
    is_sandbox,
    max_session_duration: 1800,
    duration,
    credits_consumed: is_sandbox ? 0 : Math.ceil(duration / 30) * (isLite ? 0.5 : 1),
    end_reason: is_sandbox
      ? "MAX_DURATION_REACHED"
      : pickValue(random(), [
          ["USER_DISCONNECTED", 0.56],
          ["USER_CLOSED", 0.8],
          ["IDLE_TIMEOUT", 0.91],
          ["AGENT_HANG_UP", 0.96],
          ["MAX_DURATION_REACHED", 0.985],
          ["SERVER_ERROR", 1],
        ]),
  };
}

/** Returns the first value whose cumulative share is at least `number` (0 to 1). */
function pickValue(number: number, shares: readonly (readonly [value: string, upTo: number])[]): string {
  return shares.find(([, upTo]) => number <= upTo)?.[0] ?? "";
}

/** Returns a generator of random numbers from 0 to 1, with the same sequence in every run. */
function createRandom(): () => number {
  let last = 20_261_122;
  return () => {
    last = (Math.imul(last, 1_664_525) + 1_013_904_223) >>> 0;
    return last / 2 ** 32;
  };
}
