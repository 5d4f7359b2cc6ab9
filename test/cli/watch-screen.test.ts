/** `sessions watch` on a terminal: what is on the screen, and what its keys do. */
import { describe, expect, test } from "vitest";
import { openTerminal, type TestTerminal } from "./terminal.js";
import { type Step, type WatchSetting, watch } from "./watching.js";

const minute = 60_000;
const wait: Step = () => {};

/** What was on the screen in each pause. */
async function screens(
  steps: readonly Step[],
  { terminal = openTerminal(), ...setting }: WatchSetting = {},
  ...argv: string[]
) {
  const shown: string[][] = [];
  const looking: Step[] = [...steps, wait].map((step) => async (scene) => {
    shown.push(await terminal.screen());
    await step(scene);
  });
  return { ...(await watch(looking, { terminal, ...setting }, ...argv)), shown, terminal };
}

const busy: Step = ({ begin, end }) => {
  begin(1, 200 * minute);
  end(1, "MAX_DURATION_REACHED", { credits_consumed: 400 });
  begin(2, 252_000);
  begin(3, 42_000, { is_sandbox: true });
  begin(4, 90 * minute);
  end(4, "USER_CLOSED", { credits_consumed: 1.5 });
};

describe("on a terminal, sessions watch", () => {
  test("shows what is active with its age, credits of today, and the last ended sessions", async () => {
    const { shown, exit, stdout, stderr } = await screens([], { before: busy });
    expect(shown[0]).toEqual([
      expect.stringMatching(/^sessions of http:\/\/127\.0\.0\.1:\d+ +2026-11-22 14:00:00 UTC$/),
      "2 active (1 in sandbox mode), the oldest for 4 min 12 s",
      "411.5 credits today, 4 sessions (1 in sandbox mode)",
      "",
      "  active                age  credits  mode      source",
      "  5e000000…0003        42 s        0  sandbox   KIOSK",
      "  5e000000…0002  4 min 12 s       10  HOLOGRAM  KIOSK",
      "",
      "  last ended     at        reason                    lasted  credits  mode",
      "  5e000000…0004  14:00:00  USER_CLOSED           1 h 30 min      1.5  HOLOGRAM",
      "  5e000000…0001  14:00:00  MAX_DURATION_REACHED  3 h 20 min      400  HOLOGRAM",
      "",
      "q leaves · read every 5 s",
    ]);
    expect({ exit, stdout, stderr }).toEqual({ exit: 130, stdout: "", stderr: "" });
  });

  test("is readable on 40 columns", async () => {
    const { shown } = await screens([], { terminal: openTerminal(40, 24), before: busy });
    expect(shown[0]).toEqual([
      "2026-11-22 14:00:00 UTC",
      "2 active (1 in sandbox mode), the oldest",
      "  for 4 min 12 s",
      "411.5 credits today, 4 sessions (1 in",
      "  sandbox mode)",
      "",
      "  active             age  credits",
      "  5e000…0003        42 s        0",
      "  5e000…0002  4 min 12 s       10",
      "",
      "  last ended  at        reason",
      "  5e000…0004  14:00:00  USER_CLOSED",
      "  5e000…0001  14:00:00  MAX_DURATION_RE…",
      "",
      "q leaves · read every 5 s",
    ]);
  });

  test("says how many active sessions it has no room for, and keeps room for the last ended", async () => {
    const before: Step = (scene) => {
      busy(scene);
      for (let id = 10; id < 130; id++) scene.begin(id, id * 1000);
    };
    const { shown } = await screens([], { terminal: openTerminal(80, 16), before });
    expect(shown[0]).toHaveLength(16);
    expect(shown[0]?.filter((line) => /^ {2}5e000000…/.test(line))).toHaveLength(6);
    expect(shown[0]).toContain("  118 more not shown, which are older");
    expect(shown[0]?.[1]).toMatch(/^122 active/);
    expect(shown[0]).toContainEqual(expect.stringContaining("USER_CLOSED"));
  });

  test.each([
    [80, 6],
    [80, 3],
    [24, 5],
    [10, 4],
    [1, 1],
  ])("fits into %d columns and %d rows", async (columns, rows) => {
    const terminal = openTerminal(columns, rows);
    const { shown, exit } = await screens([wait], { terminal, before: busy });
    expect(exit).toBe(130);
    for (const lines of shown) expect(lines.length).toBeLessThanOrEqual(rows);
    if (columns === 80) expect(shown[0]?.[1]).toMatch(/^2 active/);
  });

  test("is drawn anew when the size of the terminal changes", async () => {
    const terminal = openTerminal();
    const { shown } = await screens(
      [() => terminal.resize(40, 8), async () => expect(await terminal.screen()).toHaveLength(8)],
      { terminal, before: busy },
    );
    expect(shown[1]?.at(-1)).toBe("q leaves · read every 5 s");
    expect(shown[1]?.[0]).toBe("2026-11-22 14:00:05 UTC");
  });

  test("is drawn over what others have written into it, and whole again with Ctrl-L", async () => {
    const terminal = openTerminal();
    const { shown } = await screens(
      [
        () => terminal.write("\u001B[3;1Ha warning\r\n of Node"),
        async () => {
          terminal.write("another");
          terminal.on.typed("\f");
          expect((await terminal.screen()).join("\n")).not.toContain("another");
        },
      ],
      { terminal, before: busy },
    );
    expect(shown[1]?.join("\n")).not.toContain("warning");
  });

  test("begins with a word that it reads, and ages grow between two looks", async () => {
    const terminal = openTerminal();
    let reading: string[] = [];
    const { shown } = await screens([], {
      terminal,
      before(scene) {
        busy(scene);
        const run = async () => {
          reading = await terminal.screen();
        };
        scene.emulator.addFault({ do: { kind: "run", run } });
      },
    });
    expect(reading[1]).toBe("Reading the sessions…");
    expect(shown[0]?.[1]).toContain("4 min 12 s");
  });

  test("shows since when nothing is seen, and what was seen last, whose ages stand still", async () => {
    const fault: Step = ({ emulator }) =>
      emulator.addFault({ times: 12, do: { kind: "status", status: 503 } });
    const { shown } = await screens([fault, wait, wait], { before: busy });
    expect(shown[2]?.slice(1, 5)).toEqual([
      "2 active (1 in sandbox mode), the oldest for 4 min 12 s",
      "411.5 credits today, 4 sessions (1 in sandbox mode)",
      "Nothing seen since 14:00:00 (15 s). Next try in 20 s.",
      expect.stringMatching(/^GET \/v1\/sessions.*: the service failed/),
    ]);
    expect(shown[2]).toContain("  5e000000…0002  4 min 12 s       10  HOLOGRAM  KIOSK");
    expect(shown[3]?.join("\n")).not.toContain("Nothing seen");
    expect(shown[3]).toContain("  5e000000…0002  4 min 47 s       10  HOLOGRAM  KIOSK");
  });

  test("says that it looks less often, and that it has never seen anything", async () => {
    const slow: Step = ({ emulator }) =>
      emulator.addFault({ do: { kind: "status", status: 429, headers: { "retry-after": "0" } } });
    const slowed = await screens([], { before: slow });
    expect(slowed.shown[0]?.at(-1)).toContain("slower now: the service limits requests (429)");
    const gone = await screens([], {
      before: ({ emulator }) => emulator.addFault({ times: 6, do: { kind: "drop", when: "before" } }),
    });
    expect(gone.shown[0]?.[1]).toBe("Nothing seen yet. Next try in 10 s.");
  });

  test("writes hostile text out, and nothing of it into the terminal", async () => {
    const { shown, terminal } = await screens([], {
      before({ begin, end }) {
        begin(1);
        end(1, "\u001B[2J\u001B]0;owned\u0007\u202Efoo\nbar");
        begin(2, 0, { mode: "\u001B[31mred", source: "x".repeat(10_000) });
      },
    });
    expect(shown[0]?.join("\n")).toContain("‹U+001B›[2J‹U+001B›]0;o…");
    expect(terminal.written).not.toContain("\u001B[2J");
    expect(terminal.written).not.toContain("\u001B]");
    expect(terminal.written).not.toContain("\u202E");
    expect(terminal.written).not.toContain("xxxxxxxxxxxxxxxxxxxx");
  });

  test("has no colours with NO_COLOR or --no-color", async () => {
    const colors = /\u001B\[[\d;]*m/;
    const environment = { FORCE_COLOR: "1" };
    expect((await screens([], { environment })).terminal.written).toMatch(colors);
    const without = { environment: { ...environment, NO_COLOR: "1" } };
    expect((await screens([], without)).terminal.written).not.toMatch(colors);
    const off = await screens([], { environment }, "--no-color");
    expect(off.terminal.written).not.toMatch(colors);
  });

  test("writes lines, and leaves the terminal alone, with --format json", async () => {
    const { terminal, stdout } = await screens([], {}, "--format", "json");
    expect(terminal.written).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ event: "summary" });
  });
});

describe("the terminal", () => {
  /** What a key does in the first pause. */
  async function typing(text: string) {
    const terminal = openTerminal();
    let taken = false;
    const { exit, stderr, scene } = await watch(
      [
        async () => {
          taken = await terminal.isTaken();
          terminal.on.typed(text);
        },
      ],
      { terminal },
    );
    return { exit, stderr, looks: scene.pauses.length, taken, terminal };
  }

  test.each([
    ["q", 0],
    ["Q", 0],
    ["xxq", 0],
    ["\u0003", 130],
  ])("is given back, and the watch is left, with %j: exit code %d", async (key, exit) => {
    const { terminal, ...ended } = await typing(key);
    expect(ended).toMatchObject({ exit, stderr: "", looks: 1, taken: true });
    await expectGivenBack(terminal);
  });

  test.each(["\u001B[A", "\u001BOQ", "\u001Bq", "x", "\u0004"])("goes on with %j", async (key) => {
    const { terminal, exit, looks } = await typing(key);
    expect([exit, looks]).toEqual([130, 2]);
    await expectGivenBack(terminal);
  });

  test("is given back while the process is suspended", async () => {
    const terminal = openTerminal();
    terminal.write("$ avatarops sessions watch\r\n");
    const { exit } = await watch(
      [
        () => terminal.on.typed("\u001A"),
        async () => {
          expect(terminal.suspensions).toBe(1);
          terminal.on.leaving();
          expect(await terminal.isTaken()).toBe(false);
          expect(await terminal.screen()).toEqual(["$ avatarops sessions watch"]);
        },
        async () => {
          // Looks go on until the system stops the process; nothing of them is drawn.
          expect(await terminal.isTaken()).toBe(false);
          terminal.on.returned();
          expect(await terminal.isTaken()).toBe(true);
          expect((await terminal.screen())[1]).toBe("0 active");
        },
      ],
      { terminal },
    );
    expect(exit).toBe(130);
    await expectGivenBack(terminal);
  });

  test("is given back when the process ends on its own", async () => {
    const terminal = openTerminal();
    await watch([() => terminal.on.leaving(), wait], { terminal });
    await expectGivenBack(terminal);
    expect(terminal.written.split("\u001B[?1049l")).toHaveLength(2);
  });

  test("is given back before the error that ended the watch is written", async () => {
    const terminal = openTerminal();
    const { exit, stderr } = await watch(
      [({ emulator }) => emulator.addFault({ times: 9, do: { kind: "status", status: 401 } })],
      { terminal },
    );
    expect([exit, stderr]).toEqual([1, expect.stringContaining("error[unauthorized]")]);
    await expectGivenBack(terminal);
  });
});

/** Nobody reads its keys; the first screen is back, with a cursor and long lines that go on below. */
async function expectGivenBack(terminal: TestTerminal): Promise<void> {
  expect(terminal.isRead).toBe(false);
  expect(await terminal.isTaken()).toBe(false);
  const [, ...last] = /\u001B\[\?7(.)\u001B\[\?25(.)\u001B\[\?1049(.)$/.exec(terminal.written) ?? [];
  expect(last).toEqual(["h", "h", "l"]);
}
