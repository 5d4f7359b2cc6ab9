import module, { createRequire } from "node:module";
import path from "node:path";
import { createJiti, type JitiOptions, type TransformOptions } from "jiti";
import type { Frame } from "./call-site.js";

/** Runs TypeScript files, and maps positions in the running code to these files. */
export type Runner = Awaited<ReturnType<typeof startRunner>>;

/** Packages that files can import even if the project has not installed them. */
export type Packages = Readonly<Record<string, () => Promise<object>>>;

/**
 * Starts a runner for a project's files, without a disk cache, because a plan must not write any file except the
 * requested one. Uses jiti, because tsx has platform-specific binaries and needs a package.json for top-level `await`.
 */
export async function startRunner(root: string, packages: Packages) {
  const virtualModules = await loadMissing(root, packages);
  const parent = path.join(root, "avatarops");
  const { options, compiler, tsconfigError } = createCompiler(parent, {
    fsCache: false,
    sourceMaps: true,
    virtualModules,
  });
  const compiled = new Map<string, string>();
  const { cache } = compiler;
  const loadedBefore = new Set(Object.keys(cache));
  const transform = (given: TransformOptions) => {
    const code = compiler.transform(given);
    if (given.filename) compiled.set(given.filename, code);
    return { code };
  };
  const jiti = createJiti(parent, { ...options, transform });
  const maps = new Map<string, module.SourceMap | undefined>();
  const findSourceMap = (file: string) => {
    if (!maps.has(file)) maps.set(file, parseSourceMap(compiled.get(file) ?? ""));
    return maps.get(file);
  };
  // Node's cache has TypeScript, which runs as CommonJS, and JSON. Node neither lists nor forgets imported JavaScript.
  const listModules = () => {
    const cached = Object.keys(cache).filter((file) => !loadedBefore.has(file));
    return [...new Set([...compiled.keys(), ...cached])].filter((file) => !file.includes(nodeModules));
  };
  return {
    /** Why the nearest tsconfig.json, and so its `paths`, cannot be used. */
    tsconfigError,
    /** Runs a file once, even if it is imported several times. Throws the file's errors. */
    run: (absolute: string): Promise<unknown> => jiti.import(absolute),
    /** Maps a frame with a file path to its line and column in the source file. */
    written(frame: Frame): Frame {
      const found = findSourceMap(frame.file)?.findEntry(frame.line - 1, frame.column - 1);
      if (!found || !("originalLine" in found)) return frame;
      return { file: frame.file, line: found.originalLine + 1, column: found.originalColumn + 1 };
    },
    /** Lists the TypeScript and JSON files that have run, without packages, by absolute path. */
    listModules,
    /** Clears caches, so that the next runner reads the files again. */
    close(): void {
      for (const file of [...compiled.keys(), ...listModules()]) delete cache[file];
    },
  };
}

/** Creates a compiler that uses the paths of the nearest tsconfig.json, if that file can be read. */
function createCompiler(parent: string, given: JitiOptions) {
  try {
    const options = { ...given, tsconfigPaths: true };
    return { options, compiler: createJiti(parent, options), tsconfigError: undefined };
  } catch (error) {
    const options = { ...given, tsconfigPaths: false };
    return { options, compiler: createJiti(parent, options), tsconfigError: (error as Error).message };
  }
}

const nodeModules = `${path.sep}node_modules${path.sep}`;

/**
 * Loads packages that the project cannot import itself. Prefers an installed copy, because the project's types are checked
 * against that copy.
 */
async function loadMissing(root: string, packages: Packages): Promise<Record<string, object>> {
  const { resolve } = createRequire(path.join(root, "avatarops"));
  const found = Object.entries(packages).filter(([name]) => {
    try {
      return !resolve(name);
    } catch {
      return true;
    }
  });
  const loaded = await Promise.all(found.map(async ([name, load]) => [name, await load()] as const));
  return Object.fromEntries(loaded);
}

function parseSourceMap(code: string): module.SourceMap | undefined {
  const mark = "//# sourceMappingURL=data:application/json";
  const at = code.lastIndexOf(mark);
  const [, encoded] = at === -1 ? [] : (/^[^,]*;base64,(\S+)\s*$/.exec(code.slice(at + mark.length)) ?? []);
  return encoded ? new module.SourceMap(JSON.parse(Buffer.from(encoded, "base64").toString())) : undefined;
}
