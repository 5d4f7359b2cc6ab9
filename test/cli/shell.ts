import { type ChildProcess, spawn } from "node:child_process";
import { Terminal } from "@xterm/headless";
import { onTestFinished } from "vitest";
import { findBuilt } from "../built.js";

/** An interactive shell in a real terminal, in which `avatarops` is the built command. */
export interface Shell {
  /** Types keys. */
  type(keys: string): void;
  /** What is on the screen, once it is as wanted. */
  until(isWanted: (lines: readonly string[]) => boolean): Promise<readonly string[]>;
}

/** Starts a shell that ends with the test. */
export async function openShell(
  folder: string,
  environment: Readonly<Record<string, string>>,
  command: "bash --norc --noprofile -i" | "zsh -f -i" = "bash --norc --noprofile -i",
  rows = 24,
): Promise<Shell> {
  const terminal = new Terminal({ cols: 80, rows, allowProposedApi: true });
  // Ends by itself, too, in case that nobody is left to end it.
  const child = spawn("timeout", ["120", "script", "-qfec", command, "/dev/null"], {
    cwd: folder,
    // No history: the shell would write it into a folder that is being removed.
    env: { PATH: process.env.PATH, TERM: "xterm", PS1: "$ ", HOME: folder, HISTFILE: "", ...environment },
  });
  onTestFinished(() => ended(child));
  child.stdout.on("data", (bytes: Buffer) => terminal.write(bytes));
  const shell: Shell = {
    type: (keys) => void child.stdin.write(keys),
    async until(isWanted) {
      for (;;) {
        const lines = await screenOf(terminal);
        if (isWanted(lines)) return lines;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
  shell.type(`avatarops() { "${process.execPath}" "${findBuilt()}" "$@"; }\r`);
  shell.type(`stty cols 80 rows ${rows}; tty\r`);
  await shell.until((lines) => lines.some((line) => line.startsWith("/dev/")));
  shell.type("clear\r");
  return shell;
}

/** A closed terminal ends what runs in it. */
function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("close", () => resolve());
    child.kill("SIGTERM");
  });
}

/** What is on the screen, once all is drawn: its lines without the empty ones at the end. */
async function screenOf(terminal: Terminal): Promise<string[]> {
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
