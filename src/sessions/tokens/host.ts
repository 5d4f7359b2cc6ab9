/*
 * An application calls one function, which begins here as a program does at its door: no other file of this room
 * reaches for the process.
 */

export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

export function emitWarning(message: string): void {
  process.emitWarning(message, { type: "AvataropsWarning" });
}
