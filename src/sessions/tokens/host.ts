/* Access to the process. No other file in this module may use `process`. */

export function getEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

export function emitWarning(message: string): void {
  process.emitWarning(message, { type: "AvataropsWarning" });
}
