import type { LiveTerminal } from "./live-terminal.js";

/** What a screen shows, and what its keys do. */
export interface ScreenOptions {
  /** Lines with no escape sequence but colours: no more of them than rows. */
  readonly frame: (size: { readonly columns: number; readonly rows: number }) => string;
  readonly quit: () => void;
  /** Ctrl-C: there is no signal while the keyboard is read key by key. */
  readonly interrupt: () => void;
}

/** The second screen, which leaves the first one and what was on it as they are; no cursor; long lines are cut. */
const enter = "\u001B[?1049h\u001B[?25l\u001B[?7l";
const leave = "\u001B[?7h\u001B[?25h\u001B[?1049l";
const home = "\u001B[H";
const eraseLine = "\u001B[K";
const eraseBelow = "\r\n\u001B[J";

const escapeCode = "\u001B";
const [ctrlC, ctrlZ, ctrlL] = ["\u0003", "\u001A", "\f"];

/**
 * A view that draws over what it drew before. Takes the terminal until it is closed, and gives it back while the process is
 * suspended, and when it ends.
 */
export function openScreen(terminal: LiveTerminal, { frame, quit, interrupt }: ScreenOptions) {
  let isOpen = false;
  const open = () => {
    if (!isOpen) terminal.write(enter);
    isOpen = true;
    draw();
  };
  const close = () => {
    if (isOpen) terminal.write(leave);
    isOpen = false;
  };
  // All of it each time: what others wrote into it meanwhile, such as a warning, does not stay.
  const draw = () => {
    if (!isOpen) return;
    const { columns, rows } = terminal;
    // Before the text: after it, the cursor of a full line is still on its last character.
    const lines = frame({ columns, rows }).replace(/\n$/, "").split("\n");
    const shown = lines.map((line) => `${eraseLine}${line}`).join("\r\n");
    terminal.write(`${home}${shown}${lines.length < rows ? eraseBelow : ""}`);
  };
  const release = terminal.take({
    typed(text) {
      // A key with a name, such as an arrow, is a sequence; letters in it mean nothing.
      if (text.startsWith(escapeCode)) return;
      for (const key of text) {
        if (key === "q" || key === "Q") return quit();
        if (key === ctrlC) return interrupt();
        if (key === ctrlZ) return terminal.suspend();
        if (key === ctrlL) draw();
      }
    },
    resized: draw,
    leaving: close,
    returned: open,
  });
  open();
  return {
    /** Shows the view as it is now. */
    draw,
    /** Gives the terminal back as it was; more than once does no harm. */
    close(): void {
      close();
      release();
    },
  };
}
