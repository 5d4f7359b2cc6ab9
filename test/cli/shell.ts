import { type ChildProcess, spawn } from "node:child_process";
import { Terminal } from "@xterm/headless";
import { onTestFinished } from "vitest";
import { findBuilt } from "../built.js";
import { cacheHome } from "./hosting.js";

/** An interactive shell in a real terminal, where `avatarops` is the built command. */
export interface Shell {
  type(keys: string): void;
  /** Waits for a matching screen and returns its lines. */
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
  // `timeout` ends the shell even if the test process is killed.
  const child = spawn("timeout", ["120", "script", "-qfec", command, "/dev/null"], {
    cwd: folder,
    // Without HISTFILE, the shell writes no history, because the folder may be removed before the shell exits.
    env: {
      ...{ PATH: process.env.PATH, TERM: "xterm", PS1: "$ ", HOME: folder, HISTFILE: "" },
      NODE_COMPILE_CACHE: cacheHome,
      ...environment,
    },
  });
  onTestFinished(() => closeTerminal(child));
  child.stdout.on("data", (bytes: Buffer) => terminal.write(bytes));
  const shell: Shell = {
    type: (keys) => void child.stdin.write(keys),
    async until(isWanted) {
      for (;;) {
        const lines = await readScreen(terminal);
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

/** Ends all processes in the terminal. */
function closeTerminal(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("close", () => resolve());
    child.kill("SIGTERM");
  });
}

/** Returns the lines on the screen after drawing, without trailing empty lines. */
async function readScreen(terminal: Terminal): Promise<string[]> {
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
