/* Access to the process. The other files of this module must not use `process`. */

export function getEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

export function emitWarning(message: string): void {
  process.emitWarning(message, { type: "AvataropsWarning" });
}
