import { Terminal } from "@xterm/headless";
import type { LiveTerminal, TerminalEvents } from "../../src/entrypoints/cli/live-terminal.js";

/** A terminal that exists in memory only. */
export interface TestTerminal extends LiveTerminal {
  /** What is on the screen: its lines without the empty ones at the end. */
  screen(): Promise<string[]>;
  /** The second screen is shown, which leaves no trace when it is gone. */
  isTaken(): Promise<boolean>;
  resize(columns: number, rows: number): Promise<void>;
  /** What happens to it, as the system would tell. */
  readonly on: TerminalEvents;
  /** Its keyboard is read key by key. */
  readonly isRead: boolean;
  readonly suspensions: number;
  /** Everything that was written. */
  readonly written: string;
}

export function openTerminal(columns = 80, rows = 24): TestTerminal {
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true });
  let on: TerminalEvents | undefined;
  let suspensions = 0;
  let written = "";
  const settled = () => new Promise<void>((resolve) => terminal.write("", resolve));
  return {
    get columns() {
      return terminal.cols;
    },
    get rows() {
      return terminal.rows;
    },
    write(text) {
      written += text;
      terminal.write(text);
    },
    take(events) {
      on = events;
      return () => {
        on = undefined;
      };
    },
    suspend: () => void suspensions++,
    screen: () => screenOf(terminal),
    async isTaken() {
      await settled();
      return terminal.buffer.active.type === "alternate";
    },
    async resize(nextColumns, nextRows) {
      await settled();
      terminal.resize(nextColumns, nextRows);
      on?.resized();
    },
    get on() {
      if (!on) throw new Error("Nobody has the terminal");
      return on;
    },
    get isRead() {
      return on !== undefined;
    },
    get suspensions() {
      return suspensions;
    },
    get written() {
      return written;
    },
  };
}

/** What is on the screen, once all is drawn: its lines without the empty ones at the end. */
export async function screenOf(terminal: Terminal): Promise<string[]> {
  await new Promise<void>((resolve) => terminal.write("", resolve));
  const { active } = terminal.buffer;
  const lines = Array.from(
    { length: terminal.rows },
    (_, at) =>
      active
        .getLine(active.baseY + at)
        ?.translateToString(false, 0, terminal.cols)
        .trimEnd() ?? "",
  );
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}
