import type { ExitCode } from "./exit-code.js";

/** Ends the command with this code; everything has been reported. */
export class Ended extends Error {
  readonly exit: ExitCode;

  constructor(exit: ExitCode) {
    super("Ended");
    this.name = "Ended";
    this.exit = exit;
  }
}

/** The user asked for something impossible; the message says what to do instead. */
export class UsageError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "UsageError";
    this.code = code;
  }
}
