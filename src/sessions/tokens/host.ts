/*
 * The only file of this module that accesses the process, because an application calls a function and not a program.
 */

export function getEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

export function emitWarning(message: string): void {
  process.emitWarning(message, { type: "AvataropsWarning" });
}
