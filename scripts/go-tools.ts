import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

/** Cache folder of tools that tests and scripts build or install, shared by all checkouts. */
export const toolCache = path.join(
  process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"),
  "avatarops-tools",
);

/**
 * Go program for tests. Its `go.mod` and `go.sum` below `tools/` pin it and its dependencies, and some consist of a few
 * lines of our own. It is built on demand into the user's cache, and all checkouts share it until the pins change.
 */
export interface GoTool {
  /** Folder of its `go.mod`. */
  readonly folder: string;
  /** Path of the program, even if it is not built yet. */
  readonly program: string;
  has(): boolean;
  /** Builds the program if it is missing. */
  build(): void;
}

/**
 * Returns the Go program of a folder in `tools/`. `what` describes it in messages, such as "Gitea, 7 minutes". If the
 * sources need a change, `prepare` copies them from that folder into an empty one.
 */
export function defineGoTool(
  name: string,
  what: string,
  flags: readonly string[] = [],
  prepare?: (folder: string, copy: string) => void,
): GoTool {
  const folder = path.resolve(import.meta.dirname, "../tools", name);
  const pins = createHash("sha256").update(flags.join(" "));
  const sources = readdirSync(folder).filter((file) => file.endsWith(".go"));
  for (const file of ["go.mod", "go.sum", ...sources.toSorted()])
    pins.update(readFileSync(path.join(folder, file)));
  const program = path.join(toolCache, `${name}-${pins.digest("hex").slice(0, 12)}`, name);
  const has = () => existsSync(program);
  return {
    folder,
    program,
    has,
    build() {
      if (has()) return;
      // Uses stderr, because scripts print the path on stdout.
      console.error(`Building ${what} …`);
      const unfinished = `${program}.${process.pid}`;
      mkdirSync(path.dirname(program), { recursive: true });
      const copy = prepare && mkdtempSync(path.join(tmpdir(), `${name}-`));
      if (copy !== undefined) prepare?.(folder, copy);
      const build = ["build", "-mod=readonly", "-trimpath", ...flags, "-o", unfinished, copy ? "." : "tool"];
      const { status, error } = spawnSync("go", build, { cwd: copy ?? folder, stdio: "inherit" });
      if (copy !== undefined) rmSync(copy, { recursive: true });
      if (status !== 0) throw new Error(`\`go build\` in ${folder} failed.`, { cause: error });
      renameSync(unfinished, program);
    },
  };
}
