import { expect } from "vitest";
import type { LoggedRequest } from "../../src/emulator/index.js";
import { startTeam, type Team } from "./team.js";

export interface Simulation {
  readonly seed: number;
  readonly hours: number;
  /** Whether the project has a secret, whose fingerprint is slow to compute by design. */
  readonly withSecret: boolean;
  /** Called at the end of each hour. */
  readonly onHour?: (hour: number) => void;
}

export interface Simulated {
  readonly rounds: number;
  readonly cycles: number;
  /** Number of changes to files and account. Each needs one write. */
  readonly changes: number;
  /** Number of write requests. */
  readonly writes: number;
  /** Number of faults that had an effect. */
  readonly faults: number;
  /** Number of cycles by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
}

const minute = 60_000;
/** Maximum time from the last fault to a cycle with nothing to do. */
const patienceMs = 30 * minute;

/**
 * Runs `avatarops sync` in simulated time, which advances only while sync pauses. Each round makes changes under
 * random faults, then stops the faults and waits for a cycle without changes. After each round, the account must
 * match the files, a plan in a clone must be empty, and each change must have caused one write.
 */
export async function simulate({
  seed,
  hours,
  withSecret,
  onHour = () => {},
}: Simulation): Promise<Simulated> {
  const random = createRandom(seed);
  let now = Date.UTC(2026, 10, 21);
  const start = now;
  const team = await startTeam("drift: overwrite\ninclude: [more.yaml]\n", { emulator: { now: () => now } });
  const world = new World(team, random, withSecret);
  await world.begin();
  const result = { rounds: 0, cycles: 0, changes: 0, writes: 0, faults: 0 };
  const outcomes: Record<string, number> = {};
  let last = "";
  let calmSince: number | undefined;
  let hour = 0;

  const follower = team.follow(
    {
      now: () => now,
      onStdout(line) {
        const { msg, outcome } = JSON.parse(line) as { msg: string; outcome?: string };
        // Keeps the last outcome, because a cycle is logged only if its outcome differs from the previous one.
        if (msg === "cycle" && outcome) last = outcome;
      },
      async pause(ms) {
        result.cycles += 1;
        outcomes[last] = (outcomes[last] ?? 0) + 1;
        now += ms;
        for (; hour < Math.floor((now - start) / (60 * minute)); hour++) onHour(hour + 1);
        if (calmSince !== undefined) {
          if (last !== "unchanged" && now - calmSince < patienceMs) return;
          await settle();
          calmSince = undefined;
          if (now - start >= hours * 60 * minute) return follower.stop();
        }
        // A round makes changes and injects faults for a few cycles, and then stops both.
        if (world.isDisturbed && random() < 0.4) {
          await world.calm();
          calmSince = now;
        } else await world.disturb();
      },
    },
    "--interval",
    "3m",
  );

  async function settle(): Promise<void> {
    result.rounds += 1;
    const round = `seed ${seed}, round ${result.rounds}, ${new Date(now).toISOString()}, ${follower.text().slice(-1500)}`;
    expect(last, round).toBe("unchanged");
    expect(world.live(), round).toEqual(world.desired());
    const desk = await team.atDesk("plan", "--detailed-exitcode");
    expect(desk.exit, round + desk.stdout + desk.stderr).toBe(0);
    const { changes, writes, faults } = world.count();
    expect(writes, round).toEqual(changes);
    result.changes += changes.length;
    result.writes += writes.length;
    result.faults += faults;
  }

  const ran = await follower.ended;
  expect(ran.exit, ran.stdout.slice(-2000) + ran.stderr).toBe(0);
  return { ...result, outcomes };
}

/** Makes the team's changes and injects the faults. */
class World {
  readonly #team: Team;
  readonly #random: () => number;
  readonly #withSecret: boolean;
  /** Prompts in the files by context name. */
  readonly #prompts = new Map<string, string>();
  /** Changes of this round. Each object changes at most once, so each change needs one write. */
  readonly #changed = new Map<string, string>();
  #key = 0;
  #revision = 0;
  #isAway = false;
  #isBroken = false;
  #faults = 0;
  #steps = 0;

  constructor(team: Team, random: () => number, withSecret: boolean) {
    this.#team = team;
    this.#random = random;
    this.#withSecret = withSecret;
  }

  /** Whether this round has had at least two steps with changes or faults. */
  get isDisturbed(): boolean {
    return this.#steps > 1;
  }

  async begin(): Promise<void> {
    for (let i = 0; i < 4; i++) this.#setPrompt(`Desk ${i}`, "POST");
    if (this.#withSecret) this.#rotate();
    await this.#commit();
  }

  async disturb(): Promise<void> {
    this.#steps += 1;
    if (!this.#isAway) {
      await this.#change();
      if (this.#isOnce(0.2)) await this.#break();
    }
    if (this.#isOnce(0.2)) await this.#setAway(!this.#isAway);
    if (this.#isOnce(0.5)) this.#disturbService();
    if (this.#isOnce(0.3)) this.#disturbStore();
  }

  /** Stops all faults and restores valid files. */
  async calm(): Promise<void> {
    this.#team.emulator.clearFaults();
    this.#team.stateFaults.disturb(() => undefined);
    await this.#setAway(false);
    if (this.#isBroken) await this.#commit();
  }

  /** Returns this round's changes and write requests in the same order. */
  count(): { changes: string[]; writes: string[]; faults: number } {
    const { emulator } = this.#team;
    const names = new Map([...emulator.world.contexts].map(({ id, name }) => [id, name]));
    const written = emulator.requests.filter(({ method, status = 0, fault }) =>
      method === "GET" ? false : fault === undefined ? status < 300 : /after|cut|malformed/.test(fault),
    );
    // A PATCH with a lost response is retried at once, because it is idempotent. A POST is not.
    const isAgain = (one: LoggedRequest, other: LoggedRequest) =>
      one.method === "PATCH" &&
      one.at === other.at &&
      one.path === other.path &&
      JSON.stringify(one.body) === JSON.stringify(other.body);
    const writes = written
      .filter((one, at) => !written.slice(0, at).some((other) => isAgain(one, other)))
      .map(({ method, path, body }) => {
        const { name = "secret" } = body as { name?: string };
        return `${method} ${names.get(path.split("/").at(-1) ?? "") ?? name}`;
      });
    const changes = [...this.#changed].map(([name, method]) => `${method} ${name}`);
    const faults = this.#faults + emulator.requests.filter(({ fault }) => fault !== undefined).length;
    emulator.requests.length = 0;
    this.#changed.clear();
    this.#faults = 0;
    this.#steps = 0;
    return { changes: changes.sort(), writes: writes.sort(), faults };
  }

  desired(): Record<string, string> {
    return Object.fromEntries([...this.#prompts].sort());
  }

  live(): Record<string, string> {
    const { contexts } = this.#team.emulator.world;
    const all = [...contexts].map(({ name, prompt }) => [name, prompt] as const).sort();
    // `Object.fromEntries` would hide a duplicate name.
    expect(all).toHaveLength(new Set(all.map(([name]) => name)).size);
    return Object.fromEntries(all);
  }

  async #change(): Promise<void> {
    const free = [...this.#prompts.keys()].filter((name) => !this.#changed.has(name));
    const name = this.#pick(free);
    const kind = this.#random();
    if (kind < 0.35 && name) {
      this.#setPrompt(name, "PATCH");
      await this.#commit();
    } else if (kind < 0.7 && name) {
      this.#team.emulator.editContext(name, { prompt: `Edited ${++this.#revision}.` });
      this.#changed.set(name, "PATCH");
    } else if (kind < 0.8 && this.#withSecret && !this.#changed.has("secret")) {
      this.#rotate();
      await this.#commit();
      // Keeps the project below 10 objects, the minimum for which the thresholds limit an apply.
    } else if (kind < 0.9 && this.#prompts.size < 8) {
      this.#setPrompt(`Desk ${this.#prompts.size}`, "POST");
      await this.#commit();
    }
  }

  #setPrompt(name: string, method: string): void {
    this.#prompts.set(name, `You answer politely, in revision ${++this.#revision}.`);
    this.#changed.set(name, method);
  }

  #rotate(): void {
    this.#key += 1;
    this.#changed.set("secret", "POST");
  }

  async #commit(): Promise<void> {
    const contexts = [...this.#prompts].map(
      ([name, prompt], i) => `  c${i}: { name: ${name}, prompt: ${JSON.stringify(prompt)} }\n`,
    );
    const secret =
      "secrets:\n  llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !file key.txt }\n";
    this.#isBroken = false;
    await this.#team.commit({
      "more.yaml": `contexts:\n${contexts.join("")}${this.#withSecret ? secret : ""}`,
      "key.txt": `a-key-of-the-provider-${this.#key}`,
    });
  }

  async #break(): Promise<void> {
    this.#isBroken = true;
    await this.#team.commit({ "more.yaml": "contexts: { broken" });
  }

  async #setAway(isAway: boolean): Promise<void> {
    if (isAway === this.#isAway) return;
    this.#isAway = isAway;
    if (isAway) this.#faults += 1;
    await this.#team.setAway(isAway);
  }

  #disturbService(): void {
    // Never loses the response to a secret create, because secrets cannot be looked up and the next run would
    // wait for a person (cycles.test.ts).
    const where = this.#pick([
      "GET /v1/contexts",
      "GET /v1/contexts/*",
      "PATCH /v1/contexts/*",
      "PATCH /v1/contexts/*",
      "POST /v1/contexts",
      "POST /v1/contexts",
      "POST /v1/secrets",
    ]);
    const how = where?.endsWith("secrets")
      ? "429 retry-after=0"
      : this.#pick([
          "503",
          "503-after",
          "drop-before",
          "drop-after",
          "cut",
          "malformed body=<html>",
          "500-after",
        ]);
    const times = 1 + Math.floor(this.#random() * 9);
    this.#team.emulator.addFault(`${where} ${how?.replace(/^\S+/, `$& times=${times}`)}`);
  }

  #disturbStore(): void {
    const share = this.#random() * 0.5;
    this.#team.stateFaults.disturb(() => {
      if (this.#random() > share) return undefined;
      this.#faults += 1;
      return this.#pick(["refused", "answer lost", "answer cut", "web page"] as const);
    });
  }

  #isOnce(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<Of>(from: readonly Of[]): Of | undefined {
    return from[Math.floor(this.#random() * from.length)];
  }
}

/** Returns a seeded generator of numbers in [0, 1) (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
