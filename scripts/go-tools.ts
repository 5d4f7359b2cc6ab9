import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

/** Where tools are kept that tests and scripts build or install: one of them serves every checkout. */
export const toolCache = path.join(
  process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"),
  "avatarops-tools",
);

/**
 * A program in Go that tests run: its `go.mod` and `go.sum` below `tools/` pin it and all it is made of, which may be a few lines
 * of ours. It is built on demand, and kept in the user's cache: one build serves every checkout until the pins change.
 */
export interface GoTool {
  /** The folder of its `go.mod`. */
  readonly folder: string;
  /** Path of the program, whether it has been built or not. */
  readonly program: string;
  has(): boolean;
  /** Builds it if it is missing. */
  build(): void;
}

/**
 * The program in a folder below `tools/`, of the same name; `what` names it in messages: "Gitea, 7 minutes". If its sources need a
 * change, `prepare` makes a copy of them, given the path of that folder and of an empty one.
 */
export function goToolIn(
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
      // Not on stdout, where scripts print the path.
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
