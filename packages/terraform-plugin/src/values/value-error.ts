import type { Path } from "../diagnostic.js";

/**
 * Error for a value that does not match its type, or for bytes that are not a value. The message has the path and no
 * part of the value.
 */
export class ValueError extends Error {
  override readonly name = "ValueError";

  constructor(problem: string, path: Path = []) {
    super(path.length === 0 ? problem : `${formatPath(path)}: ${problem}`);
  }
}

/** Formats a path in the syntax of the configuration language, such as `links[0].url` or `labels["a"]`. */
export function formatPath(path: Path): string {
  return path
    .map((step, at) => {
      if (typeof step === "number") return `[${step}]`;
      if (typeof step === "string") return at === 0 ? step : `.${step}`;
      return `[${JSON.stringify(step.key)}]`;
    })
    .join("");
}
