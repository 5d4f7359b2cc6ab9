/*
 * How a bundle runs: from the code that V8 compiled last time, if that can be cached. The cache is in the
 * user's cache folder, never in a project, and whatever is wrong with it, the bundle runs anyway.
 * `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` have the same meaning as for Node. Its own cache, from 22.1 on, keeps the
 * functions of the first process that used a file, so it only serves the files of other packages here.
 */
import fs from "node:fs";
import module from "node:module";
import os from "node:os";
import path from "node:path";
import { cachedDataVersionTag, setFlagsFromString } from "node:v8";
import vm from "node:vm";

/** The bundle's version; the build inserts it. */
declare const bundle: {
  /** Beside this file. */
  readonly file: string;
  /**
   * By file; changes with its text: compiled code is valid for that text only, and V8 compares no more than
   * its length.
   */
  readonly digests: { readonly [file: string]: string };
  /** First arguments that need different functions compiled. */
  readonly commands: readonly string[];
};

/**
 * At the start of cached code: the number of bundles the process had loaded. A whole word, because V8 copies
 * unaligned code.
 */
const headBytes = 8;
const monthMs = 30 * 24 * 60 * 60 * 1000;
const file = path.join(__dirname, bundle.file);
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
const folder = cacheFolder();
if (folder === undefined) require(file);
else {
  const flags = cachedDataVersionTag();
  process.on("exit", restoreFlags);
  enableCompileCache?.(folder);
  runFrom(folder, flags);
}

/** V8 rejects code that was cached under other flags, and the HTTP client's room and `export` change flags. */
function restoreFlags(): void {
  const changed = ["--opt", "--no-liftoff-only", "--wasm-tier-up", "--wasm-dynamic-tiering"];
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
    const kept = readIfThere(cache);
    const cachedData = kept?.subarray(headBytes);
    loads += 1;
    const script = new vm.Script(module.wrap(fs.readFileSync(file, "latin1")), {
      filename: file,
      ...(cachedData ? { cachedData } : {}),
    });
    // At the end, the functions that were used are compiled, too. A process that loaded more bundles used
    // more: the cache of a command's first process lacks what later ones need.
    process.on("exit", () => {
      const isFuller = !kept || script.cachedDataRejected || loads > (kept[0] ?? 0);
      if (isFuller && cachedDataVersionTag() === flags) keep(script, cache, loads);
    });
    const own = { exports: {} };
    script.runInThisContext()(own.exports, requireFrom(file), own, file, __dirname);
    return own.exports;
  }

  /** Cached code runs in the same way; each module once, as always. */
  function requireFrom(file: string): NodeJS.Require {
    const others = module.createRequire(file);
    const required = (id: string) => {
      const name = path.basename(id);
      if (id !== `./${name}` || !bundle.digests[name]) return others(id);
      loaded[name] = loaded[name] ?? run(name);
      return loaded[name];
    };
    return Object.assign(required, others);
  }
}

/** A folder that nobody else can write to; undefined if there is none, or caching is off. */
function cacheFolder(): string | undefined {
  const { env, platform } = process;
  if (env.NODE_DISABLE_COMPILE_CACHE || env.NODE_V8_COVERAGE) return undefined;
  try {
    // Throws where the user has no home, as in a container with a number for a user.
    const base = env.NODE_COMPILE_CACHE || baseOf(platform, env);
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
 * Compiled code runs unchecked, and whoever can write it runs code as this user. Hence nobody else may be
 * able to write to the folder or move it. In a checkout, where CI may keep caches, a commit may have brought
 * it: git never creates folders closed to others, and its work tree has a `.git`.
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

function baseOf(platform: string, env: NodeJS.ProcessEnv): string | undefined {
  if (platform === "win32") return env.LOCALAPPDATA;
  if (env.XDG_CACHE_HOME) return env.XDG_CACHE_HOME;
  return path.join(os.homedir(), platform === "darwin" ? "Library/Caches" : ".cache");
}

function readIfThere(cache: string): Buffer | undefined {
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

/** Files of versions that no longer run. */
function removeOld(folder: string): void {
  for (const name of fs.readdirSync(folder).filter((one) => /^[\da-f]{16}-/.test(one))) {
    const found = path.join(folder, name);
    if (Date.now() - fs.lstatSync(found).mtimeMs > monthMs) fs.rmSync(found, { force: true });
  }
}
