import { existsSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { nearest, type Source, type SourceRange, sourceOf } from "../diagnostics/index.js";
import { isInside, readRegularSync } from "../files/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import { isCode } from "./is-code.js";
import { isPrivate } from "./private-files.js";

/** Reads the text of a file by its absolute path; throws as `fs.readFileSync` does, or FileRefusedError. */
export type ReadFile = (absolute: string) => Uint8Array;

/** The files of one project folder. Nothing outside of it is ever read, symbolic links included. */
export interface ProjectFiles {
  /** Absolute. */
  readonly root: string;
  /** Every file read, relative to the root, in the order of reading. */
  readonly read: readonly string[];
  /**
   * `written`, as it stands in a file, as a path relative to the root; reported where it leads outside. In code it is
   * relative to the root already: which file a function is called from is not plain to see.
   */
  resolve(written: string, from: SourceRange): string | undefined;
  /** Files that may be read although their names say that they hold keys: see private-files.ts. */
  readonly allowed: Set<string>;
  /** Whether what a file holds must not be shown; reported where it is, at `from`. */
  isRefused(file: string, from: SourceRange): boolean;
  /** A file's text without its byte order mark; what cannot be read is reported at `from`, where it is named. */
  open(file: string, from: SourceRange | undefined): Source | undefined;
}

/** Opens a project folder. */
export function projectFiles(
  root: string,
  collector: DiagnosticsCollector,
  readFile: ReadFile = (absolute) => readRegularSync(absolute, maxMegabytes * 1024 * 1024),
): ProjectFiles {
  const sources = new Map<string, Source | undefined>();
  const allowed = new Set<string>();
  let rootBehindLinks: string | undefined;
  const realRoot = () => {
    rootBehindLinks ??= realpathSync.native(root);
    return rootBehindLinks;
  };
  const isRefused = (file: string, from: SourceRange): boolean => {
    const names = [file, ...behindLinks(file)];
    const refused = names.find((name) => isPrivate(name) && !allowed.has(name));
    if (refused === undefined) return false;
    const what = refused === file ? file : `${file}, a link to ${refused},`;
    const message = `${what} is not read: a file of this name may hold keys, and what is read here is shown`;
    const hint = `name another file; or, if it holds none, write allow_files: [${JSON.stringify(refused)}] in the main file`;
    collector.error("private-file", message, from, hint);
    return true;
  };
  /** What a link leads to, relative to the root; nothing where there is no such file. */
  const behindLinks = (file: string): string[] => {
    try {
      return [posix(path.relative(realRoot(), realpathSync.native(path.join(root, file))))];
    } catch {
      return [];
    }
  };
  const open = (file: string, from: SourceRange | undefined): Source | undefined => {
    const absolute = path.join(root, file);
    try {
      if (!isInside(realRoot(), realpathSync(absolute))) {
        collector.error(
          "outside-project",
          `${file} leads outside of the project folder through a link`,
          from,
        );
        return undefined;
      }
      return sourceOf(file, decode(readFile(absolute)));
    } catch (error) {
      reportUnreadable(root, file, error, from, collector);
      return undefined;
    }
  };
  return {
    root,
    get read() {
      return [...sources].filter(([, source]) => source).map(([file]) => file);
    },
    resolve(written, from) {
      const folder = isCode(from.source.file) ? "" : path.dirname(from.source.file);
      const relative = path.join(folder, written);
      if (!path.isAbsolute(written) && isBelow(relative)) {
        return posix(relative);
      }
      const hint = `name a file of the project folder, relative to ${isCode(from.source.file) ? "that folder" : "the file this stands in"}`;
      collector.error(
        "outside-project",
        `${JSON.stringify(written)} leads outside of the project folder`,
        from,
        hint,
      );
      return undefined;
    },
    allowed,
    isRefused,
    open(file, from) {
      if (from && isRefused(file, from)) return undefined;
      if (!sources.has(file)) sources.set(file, open(file, from));
      return sources.get(file);
    },
  };
}

/** Whether a path, as it is written, is relative and stays below where it begins; on every system the same. */
export function isBelow(written: string): boolean {
  const [first] = path.normalize(written).split(/[\\/]/);
  return first !== ".." && !path.isAbsolute(written) && !path.win32.isAbsolute(written);
}

function posix(file: string): string {
  return file.split(path.sep).join("/");
}

/** How large a file may be: far above any that people write, and read in a few seconds. */
const maxMegabytes = 16;

/** Bytes to text. A byte order mark at the start is how the file is stored, not part of its text. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function reportUnreadable(
  root: string,
  file: string,
  error: unknown,
  from: SourceRange | undefined,
  collector: DiagnosticsCollector,
): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
    collector.error("not-utf8", `${file} is not UTF-8 text`, from, "save it as UTF-8");
  } else if (code === "folder" || code === "not-regular") {
    const message = `${file} is no regular file, but a folder, a pipe, a socket or a device`;
    collector.error("not-a-file", message, from, "name a text file");
  } else if (code === "too-large") {
    const hint = "name the right file, or divide it into several and include them";
    collector.error("file-too-large", `${file} has more than ${maxMegabytes} MB`, from, hint);
  } else if (code === "ENOENT" || code === "ENOTDIR") {
    const meant = nearestFile(root, file);
    const hint = meant
      ? `did you mean "${meant}"?`
      : from
        ? relativeHint(root, file, from)
        : "run `avatarops init` to begin a project, or name its manifest with --file";
    collector.error("missing-file", `there is no file ${file}${from ? "" : ` in ${root}`}`, from, hint);
  } else {
    collector.error("unreadable-file", `${file} cannot be read (${code ?? (error as Error).message})`, from);
  }
}

/** Who writes a path from the project folder, in a file that is in another one, is told how it would be right. */
function relativeHint(root: string, file: string, from: SourceRange): string | undefined {
  const folder = path.posix.dirname(from.source.file);
  if (folder === "." || isCode(from.source.file)) return undefined;
  const written = path.posix.relative(folder, file);
  const rule = `paths count from the file they stand in, this one from ${folder}/`;
  return existsSync(path.join(root, written))
    ? `${rule}: write ${path.posix.relative(folder, written)}`
    : rule;
}

function nearestFile(root: string, file: string): string | undefined {
  const folder = path.posix.dirname(file);
  try {
    const meant = nearest(path.posix.basename(file), readdirSync(path.join(root, folder)));
    return meant && path.posix.join(folder, meant);
  } catch {
    return undefined;
  }
}
