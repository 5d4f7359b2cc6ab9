/** A 1-based position in running code, which may be compiled from TypeScript. */
export interface Frame {
  /** A path or a `file:` URL. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Number of stack frames to keep, enough to reach the user's code below the frames of packages. */
const maxFrames = 40;

/** Returns the callers of `made`, innermost frame first. */
export function captureCallSite(made: NewableFunction | CallableFunction): readonly Frame[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const site: { stack?: unknown } = {};
  try {
    Error.stackTraceLimit = maxFrames;
    Error.prepareStackTrace = (_, calls) => calls.flatMap(toFrames);
    Error.captureStackTrace(site, made);
    return site.stack as readonly Frame[];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    // Assigning undefined does not restore Node's default.
    if (prepareStackTrace) Error.prepareStackTrace = prepareStackTrace;
    else Reflect.deleteProperty(Error, "prepareStackTrace");
  }
}

function toFrames(call: NodeJS.CallSite): Frame[] {
  const [file, line, column] = [call.getFileName(), call.getLineNumber(), call.getColumnNumber()];
  return file && line && column ? [{ file, line, column }] : [];
}

/** Returns a thrown error's frames, innermost first. */
export function parseFrames(error: unknown): readonly Frame[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return stack.split("\n").flatMap((call) => {
    const position = /^ +at /.test(call) && /:(\d+):(\d+)\)?$/.exec(call);
    if (!position) return [];
    const before = call.slice(0, position.index);
    const inner = before.slice(Math.max(before.lastIndexOf("("), before.lastIndexOf(")")) + 1);
    const start = inner.search(/file:|\/|[A-Za-z]:\\/);
    return start === -1
      ? []
      : [{ file: inner.slice(start), line: Number(position[1]), column: Number(position[2]) }];
  });
}
