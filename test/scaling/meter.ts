import { Session } from "node:inspector";

/*
 * Counts how often code blocks run and how many characters patterns and string methods read, because time depends on
 * the machine. V8 counts only blocks in functions that it compiles afterward, so a test imports this file first and
 * runs in a separate process.
 */

const session = new Session();
session.connect();

/** Sends an inspector request. The callback runs synchronously, because the session inspects its own process. */
function send(method: string, parameters: object = {}): unknown {
  let response: unknown;
  session.post(method, parameters, (error, result) => {
    if (error) throw error;
    response = result;
  });
  return response;
}
send("Profiler.enable");
send("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number; readonly startOffset: number }[];
    }[];
  }[];
}

/** Selects our code and libraries that read or compare strings, without the emulator. */
const isMeasured = (url: string) =>
  /\/src\/(?!emulator\/)|\/node_modules\/(?:diff|yaml|@handlebars|fastest-levenshtein|commander)\//.test(url);

/** Returns how often blocks ran since the last call, by function. */
function takeBlocks(): Map<string, number> {
  const { result } = send("Profiler.takePreciseCoverage") as Coverage;
  const found = new Map<string, number>();
  for (const { url, functions } of result.filter(({ url }) => isMeasured(url)))
    for (const { functionName, ranges } of functions) {
      const position = `${url.replace(/^.*\/(?=src\/|node_modules\/)/, "")}:${ranges[0]?.startOffset}`;
      const blocks = ranges.reduce((sum, { count }) => sum + count, 0);
      found.set(`${position} ${functionName}`, blocks);
    }
  return found;
}

const wholeReaders = [
  "normalize",
  "toLowerCase",
  "trim",
  "trimEnd",
  "trimStart",
  "split",
  "replaceAll",
] as const;

/** Counts the characters read during `run`, by pattern or method. */
async function countCharacters(run: () => Promise<unknown>): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const count = (position: string, characters: number) =>
    found.set(position, (found.get(position) ?? 0) + characters);
  const { exec } = RegExp.prototype;
  const methods = wholeReaders.map((name) => [name, String.prototype[name]] as const);
  // All string methods that search with a pattern call `exec`.
  RegExp.prototype.exec = function (text) {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const match = exec.call(this, text);
    const to = match ? match.index + (match[0] ?? "").length : this.sticky ? from : text.length;
    count(`pattern ${this.source.slice(0, 60)}`, to - from + 1);
    return match;
  };
  for (const [name, method] of methods)
    Object.assign(String.prototype, {
      [name](this: string, ...given: unknown[]) {
        count(`string.${name}`, this.length);
        return Reflect.apply(method, this, given);
      },
    });
  try {
    await run();
  } finally {
    RegExp.prototype.exec = exec;
    for (const [name, method] of methods) Object.assign(String.prototype, { [name]: method });
  }
  return found;
}

/** Steps of a run, by function, pattern and method. */
export type Steps = ReadonlyMap<string, number>;

export async function countSteps(run: () => Promise<unknown>): Promise<Steps> {
  takeBlocks();
  const characters = await countCharacters(run);
  return new Map([...takeBlocks(), ...characters]);
}
