/** Records every pattern built at run time with `new RegExp`. */

export interface Built {
  readonly source: string;
  readonly flags: string;
  /** Path relative to the repository root. */
  readonly file: string;
}

const built = new Map<string, Built>();
const native = globalThis.RegExp;

globalThis.RegExp = new Proxy(native, {
  construct(target, given: [pattern: string | RegExp, flags?: string], made) {
    const pattern = Reflect.construct(target, given, made) as RegExp;
    const { source, flags } = pattern;
    if (built.has(source)) return pattern;
    const [, file = ""] = /\/((?:packages\/[^/]+\/)?src\/\S+?\.ts)/.exec(new Error().stack ?? "") ?? [];
    built.set(source, { source, flags, file });
    return pattern;
  },
});

/** All patterns built so far by modules loaded after this one. */
export function listBuiltPatterns(): readonly Built[] {
  return [...built.values()].filter(({ file }) => file !== "");
}
