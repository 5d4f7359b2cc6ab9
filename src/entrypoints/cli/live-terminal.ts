/** A terminal as a screen with a keyboard, for a view that is redrawn in place. */
export interface LiveTerminal {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
  /** Reads key by key, without echo, and calls back; returns a function that gives the keyboard back. */
  take(on: TerminalEvents): () => void;
  /** Suspends the process and those it runs with, as Ctrl-Z does outside a view. */
  suspend(): void;
}

/** What happens to a terminal that is taken. All but `typed` are called while nothing else runs. */
export interface TerminalEvents {
  /** One key, or what was pasted. */
  typed(text: string): void;
  resized(): void;
  /** The terminal is about to belong to somebody else: the process is suspended or ends. */
  leaving(): void;
  /** The process goes on, on a terminal that others have used meanwhile. */
  returned(): void;
}

/** The terminal of a process; undefined if its output is none, or one that has no cursor to move. */
export function openLiveTerminal(ours: NodeJS.Process): LiveTerminal | undefined {
  const { stdout } = ours;
  if (!stdout.isTTY || ours.env.TERM === "dumb") return undefined;
  return {
    get columns() {
      return stdout.columns || 80;
    },
    get rows() {
      return stdout.rows || 24;
    },
    write: (text) => void stdout.write(text),
    take: (on) => {
      const { stdin } = ours;
      const typed = (bytes: Buffer) => on.typed(bytes.toString());
      const returned = () => {
        setRaw(stdin, true);
        on.returned();
      };
      const suspended = () => {
        on.leaving();
        setRaw(stdin, false);
        // Without a listener the signal has its own effect, which is none where no shell could continue us.
        ours.off("SIGTSTP", suspended);
        ours.kill(ours.pid, "SIGTSTP");
        setImmediate(() => {
          if (!isTaken) return;
          ours.on("SIGTSTP", suspended);
          returned();
        });
      };
      let isTaken = true;
      stdin.on("data", typed);
      stdout.on("resize", on.resized);
      ours.on("SIGTSTP", suspended).on("SIGCONT", returned);
      // Before others: what they say of the end belongs on the first screen.
      ours.prependListener("exit", on.leaving);
      setRaw(stdin, true);
      return () => {
        isTaken = false;
        stdin.off("data", typed).pause();
        stdout.off("resize", on.resized);
        ours.off("SIGTSTP", suspended).off("SIGCONT", returned).off("exit", on.leaving);
        setRaw(stdin, false);
      };
    },
    suspend() {
      if (ours.platform !== "win32") ours.kill(0, "SIGTSTP");
    },
  };
}

/** Off before it is on: others may have changed the terminal, and what Node takes for set is not set again. */
function setRaw(stdin: NodeJS.ReadStream, isRaw: boolean): void {
  if (!stdin.isTTY) return;
  try {
    stdin.setRawMode(false);
    if (isRaw) stdin.setRawMode(true);
  } catch {
    // The terminal is gone; SIGHUP ends the process.
  }
}
