import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pinsFolder, run, type Tool, toolCache } from "./tool.js";

/** Third-party Go module. */
export interface GoModule {
  /** Module with its version. */
  readonly module: string;
  /** Hash of the module, as in a go.sum. It covers the module's own go.sum, which pins the dependencies. */
  readonly sum: string;
  /** Package of the program within the module. Default: the module itself. */
  readonly main?: string;
  readonly flags?: readonly string[];
  /** Lines to remove before the build, by file. */
  readonly removedLines?: Readonly<Record<string, RegExp>>;
  /** Lines to add to go.sum, for dependencies whose local `replace` directives are removed. */
  readonly addedSums?: readonly string[];
}

/** Defines a program built from a Go module, with the module's own go.mod and go.sum. */
export function defineGoTool(name: string, what: string, source: GoModule): Tool {
  const { main = ".", flags = [], removedLines } = source;
  const pins = JSON.stringify(source, (_, value) => (value instanceof RegExp ? value.source : value));
  return defineBuild(name, what, pins, (program) => {
    const downloaded = downloadGoModule(source);
    const folder = removedLines ? copyEdited(downloaded, source) : downloaded;
    build(folder, main, program, flags);
    if (removedLines) rmSync(folder, { recursive: true });
  });
}

/** Defines one of our own programs, a package in `tools/go`. */
export function defineOwnGoTool(name: string, what: string): Tool {
  const folder = path.join(pinsFolder, "go");
  const sources = readdirSync(path.join(folder, name)).map((file) => path.join(name, file));
  const files = ["go.mod", "go.sum", ...sources.toSorted()];
  const pins = files.map((file) => readFileSync(path.join(folder, file), "utf8")).join("\0");
  return defineBuild(name, what, pins, (program) => build(folder, `./${name}`, program));
}

/** Downloads a module and returns its folder. */
export function downloadGoModule({ module, sum }: GoModule): string {
  const printed = execFileSync("go", ["mod", "download", "-json", module], {
    encoding: "utf8",
    // Runs outside any module, so that no other go.mod applies.
    cwd: tmpdir(),
  });
  const { Dir, Sum } = JSON.parse(printed) as { readonly Dir: string; readonly Sum: string };
  if (Sum !== sum) throw new Error(`${module} has the hash ${Sum} instead of ${sum}.`);
  return Dir;
}

function defineBuild(name: string, what: string, pins: string, make: (program: string) => void): Tool {
  const digest = createHash("sha256").update(pins).digest("hex").slice(0, 12);
  const program = path.join(toolCache, `${name}-${digest}`, name);
  const has = () => existsSync(program);
  return {
    path: program,
    has,
    install() {
      if (has()) return;
      console.error(`Building ${what} …`);
      const unfinished = `${program}.${process.pid}`;
      mkdirSync(path.dirname(program), { recursive: true });
      make(unfinished);
      renameSync(unfinished, program);
    },
  };
}

function build(folder: string, main: string, program: string, flags: readonly string[] = []): void {
  run(
    "go",
    ["build", "-mod=readonly", "-trimpath", "-buildvcs=false", ...flags, "-o", program, main],
    folder,
  );
}

/** Copies a module to a temporary folder and edits the copy. */
function copyEdited(folder: string, { removedLines = {}, addedSums = [] }: GoModule): string {
  const copy = mkdtempSync(path.join(tmpdir(), "avatarops-go-"));
  cpSync(folder, copy, { recursive: true });
  const edit = (name: string, change: (text: string) => string) => {
    const file = path.join(copy, name);
    const text = change(readFileSync(file, "utf8"));
    // Files in the module cache are read-only.
    rmSync(file);
    writeFileSync(file, text);
  };
  for (const [name, lines] of Object.entries(removedLines)) edit(name, (text) => text.replace(lines, ""));
  edit("go.sum", (text) => `${text}${addedSums.join("\n")}\n`);
  return copy;
}
