/**
 * Runs a bundle with compiled code from the user's cache folder, or from source if the cache is missing or damaged.
 * `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` work as in Node.
 *
 * Uses Node's own cache (since 22.1) only for other packages, because it omits functions that the first process did not
 * run.
 */
import fs from "node:fs";
import module from "node:module";
import os from "node:os";
import path from "node:path";
import { cachedDataVersionTag, setFlagsFromString } from "node:v8";
import vm from "node:vm";

/** Bundle properties, inserted by the build. */
declare const bundle: {
  /** Bundle file in the same folder. */
  readonly file: string;
  /**
   * Digests by file. Compiled code is valid only for the same source code, but V8 compares only the length.
   */
  readonly digests: { readonly [file: string]: string };
  /** Commands with separate caches, because they run different functions. */
  readonly commands: readonly string[];
};

/**
 * Header size of a cache file. The header contains the number of bundles that the process had loaded, padded to 8 bytes
 * because V8 copies unaligned code.
 */
const headBytes = 8;
const monthMs = 30 * 24 * 60 * 60 * 1000;
const file = path.join(__dirname, bundle.file);
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
const folder = findCacheFolder();
if (folder === undefined) require(file);
else {
  const flags = cachedDataVersionTag();
  process.on("exit", restoreFlags);
  enableCompileCache?.(folder);
  runFrom(folder, flags);
}

/**
 * Restores V8's flags, because V8 rejects code that was cached with other flags. The HTTP client module changes flags.
 */
function restoreFlags(): void {
  const changed = ["--opt", "--no-liftoff-only", "--wasm-tier-up", "--wasm-dynamic-tiering"];
  // Only in V8 12 (Node 22), --no-opt also changes this flag.
  if (process.versions.v8.startsWith("12.")) changed.push("--osr-from-maglev");
  for (const flag of [...changed, "--heap-growing-percent=0"]) setFlagsFromString(flag);
}

function runFrom(folder: string, flags: number): void {
  const command = bundle.commands.find((name) => name === process.argv[2]) ?? "other";
  const loaded: { [file: string]: unknown } = {};
  let loads = 0;
  run(bundle.file);

  function run(name: string): unknown {
    const file = path.join(__dirname, name);
    const { version, arch } = process;
    const cache = path.join(folder, `${bundle.digests[name]}-${version}-${arch}-${command}`);
    const kept = readIfExists(cache);
    const cachedData = kept?.subarray(headBytes);
    loads += 1;
    const script = new vm.Script(module.wrap(fs.readFileSync(file, "latin1")), {
      filename: file,
      ...(cachedData ? { cachedData } : {}),
    });
    // Writes the cache at exit, when all functions that ran are compiled. Later processes may load more bundles, so the
    // first cache can be incomplete.
    process.on("exit", () => {
      const isFuller = !kept || script.cachedDataRejected || loads > (kept[0] ?? 0);
      if (isFuller && cachedDataVersionTag() === flags) keep(script, cache, loads);
    });
    const own = { exports: {} };
    script.runInThisContext()(own.exports, requireFrom(file), own, file, __dirname);
    return own.exports;
  }

  /** Loads each module once, with or without cached code. */
  function requireFrom(file: string): NodeJS.Require {
    const others = module.createRequire(file);
    const requireCached = (id: string) => {
      const name = path.basename(id);
      if (id !== `./${name}` || !bundle.digests[name]) return others(id);
      loaded[name] = loaded[name] ?? run(name);
      return loaded[name];
    };
    return Object.assign(requireCached, others);
  }
}

/** Returns a folder that only this user can write to. Undefined if there is none or caching is off. */
function findCacheFolder(): string | undefined {
  const { env, platform } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE || env.NODE_V8_COVERAGE) return undefined;
  try {
    // Fails if the user has no home, such as a numeric user in a container.
    const base = env.NODE_COMPILE_CACHE || findBase(platform, env);
    if (!base || !path.isAbsolute(base)) return undefined;
    const parent = path.dirname(base);
    if (!fs.existsSync(parent)) return undefined;
    const real = fs.existsSync(base)
      ? fs.realpathSync(base)
      : path.join(fs.realpathSync(parent), path.basename(base));
    const folder = path.join(real, "avatarops");
    if (!isSafeBelow(real)) return undefined;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    fs.accessSync(folder, fs.constants.W_OK);
    const { uid, mode } = fs.lstatSync(folder);
    return !process.getuid || (uid === process.getuid() && (mode & 0o077) === 0) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether no other user can write to the folder or move it, because code from the cache runs unchecked. Rejects folders
 * in a git work tree, because a commit could add files to them.
 */
function isSafeBelow(folder: string): boolean {
  for (let at = folder; ; at = path.dirname(at)) {
    if (fs.existsSync(path.join(at, ".git"))) return false;
    if (process.getuid && fs.existsSync(at)) {
      const { mode, uid } = fs.lstatSync(at);
      const isSticky = (mode & 0o1000) !== 0;
      if ((uid !== process.getuid() && uid !== 0) || ((mode & 0o022) !== 0 && !isSticky)) return false;
    }
    if (at === path.dirname(at)) return true;
  }
}

function findBase(platform: string, env: NodeJS.ProcessEnv): string | undefined {
  if (platform === "win32") return env.LOCALAPPDATA;
  if (env.XDG_CACHE_HOME) return env.XDG_CACHE_HOME;
  return path.join(os.homedir(), platform === "darwin" ? "Library/Caches" : ".cache");
}

function readIfExists(cache: string): Buffer | undefined {
  try {
    return fs.readFileSync(cache);
  } catch {
    return undefined;
  }
}

function keep(script: vm.Script, cache: string, loads: number): void {
  const aside = `${cache}.${process.pid}.next`;
  try {
    const head = Buffer.alloc(headBytes, loads);
    fs.writeFileSync(aside, Buffer.concat([head, script.createCachedData()]), { flag: "wx", mode: 0o600 });
    fs.renameSync(aside, cache);
    removeOld(path.dirname(cache));
  } catch {
    fs.rmSync(aside, { force: true });
  }
}

/** Removes cache files that were written more than a month ago, such as files of earlier versions. */
function removeOld(folder: string): void {
  for (const name of fs.readdirSync(folder).filter((one) => /^[\da-f]{16}-/.test(one))) {
    const found = path.join(folder, name);
    if (Date.now() - fs.lstatSync(found).mtimeMs > monthMs) fs.rmSync(found, { force: true });
  }
}
