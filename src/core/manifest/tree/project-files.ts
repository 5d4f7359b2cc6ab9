import { readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { openSourceFile, type SourceFile, type SourceRange } from "../../../base/diagnostics/index.js";
import {
  containsKeys,
  isInside,
  isPossiblyPrivate,
  isPrivate,
  readRegularSync,
  toPosixPath,
} from "../../../base/files/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import { type ListNames, suggestForMissing, suggestSpelling } from "./missing-file.js";

/** Reads a file by its absolute path. @throws FileRefusedError, or the system errors of `fs.readFileSync`. */
export type ReadFile = (absolute: string) => Uint8Array;

/**
 * Project files at another commit, used instead of the files on disk. Takes absolute paths, and throws errors with system
 * codes, such as ENOENT.
 */
export interface FileTree {
  readonly readFile: ReadFile;
  /** Resolves symlinks. */
  realpath(absolute: string): string;
  /** Lists a folder. A symlink to a folder counts as a folder. */
  entries(absolute: string): readonly { readonly name: string; readonly isFolder: boolean }[];
}

export type ProjectFiles = ReturnType<typeof openProjectFiles>;

/** Opens the files of a project folder. Never reads outside it, not even through symlinks. */
export function openProjectFiles(
  /** Absolute path to the project folder. */
  root: string,
  collector: DiagnosticsCollector,
  { tree, readFile = tree?.readFile ?? readFromDisk }: { readFile?: ReadFile; tree?: FileTree } = {},
) {
  // Unlike `realpathSync`, the native version returns names in the letter case that they have on disk.
  const realpath = tree ? tree.realpath : realpathSync.native;
  const sources = new Map<string, SourceFile | undefined>();
  let resolvedRoot: string | undefined;
  const resolveRoot = () => {
    resolvedRoot ??= realpath(root);
    return resolvedRoot;
  };
  const followed = new Map<string, string>();
  const follow = (file: string) => {
    const target = followed.get(file) ?? realpath(path.join(root, file));
    followed.set(file, target);
    return target;
  };
  /** Rejects a file whose name suggests that it contains keys. Returns whether an error was reported at `from`. */
  const rejectPrivate = (file: string, from: SourceRange, isRejected = isPossiblyPrivate): boolean => {
    const privateName = [file, ...listTargets(file)].find(isRejected);
    if (privateName === undefined) return false;
    const subject = privateName === file ? file : `${file}, a symlink to ${privateName},`;
    const message = `${subject} is not read, because files with this name may contain keys, which would then be shown`;
    collector.error("private-file", message, from, "rename the file if it contains no keys");
    return true;
  };
  /** Rejects a file whose text contains keys. Returns whether an error was reported at `from`. */
  const rejectKeys = ({ file, text }: SourceFile, from: SourceRange): boolean => {
    if (![file, ...listTargets(file)].some((name) => containsKeys(name, text))) return false;
    const message = `${file} is not used, because it seems to contain a key or a password, which would be shown`;
    collector.error("private-file", message, from, "remove the key or the password from the file");
    return true;
  };
  /**
   * Returns the target of a symlink, relative to the root, as a list with one item. The list is empty if the file does
   * not exist.
   */
  const listTargets = (file: string): string[] => {
    try {
      return [toPosixPath(path.relative(resolveRoot(), follow(file)))];
    } catch {
      return [];
    }
  };
  const listed = new Map<string, readonly string[]>();
  /** Lists the names in a folder, or none if the folder is missing or outside the root. */
  const list: ListNames = (folder) => {
    const known = listed.get(folder);
    if (known) return known;
    let names: readonly string[] = [];
    try {
      const target = follow(folder);
      if (isInside(resolveRoot(), target))
        names = tree ? tree.entries(path.join(root, folder)).map(({ name }) => name) : readdirSync(target);
    } catch {
      // The folder does not exist.
    }
    listed.set(folder, names);
    return names;
  };
  const open = (file: string, from: SourceRange | undefined): SourceFile | undefined => {
    try {
      if (!isInside(resolveRoot(), follow(file))) {
        collector.error(
          "outside-project",
          `${file} leads outside the project folder through a symlink`,
          from,
        );
        return undefined;
      }
      const bytes = readFile(path.join(root, file));
      if (bytes.length > maxBytes)
        throw Object.assign(new Error(`${file} is too large`), { code: "too-large" });
      return openSourceFile(file, decode(bytes), toPosixPath(path.relative(resolveRoot(), follow(file))));
    } catch (error) {
      reportUnreadable(root, file, error, from, { collector, list });
      return undefined;
    }
  };
  return {
    root,
    /** Files of another commit, or undefined if the files are read from disk. */
    tree,
    /** Files read, relative to the root, in the order they were read. */
    get read(): readonly string[] {
      return [...sources].filter(([, source]) => source).map(([file]) => file);
    },
    /**
     * Converts a path written in a file to a path relative to the root. Reports a path that leads outside. In code,
     * paths are already relative to the root, because a function does not know which file calls it.
     */
    resolve(written: string, from: SourceRange): string | undefined {
      const folder = isCode(from.source.file) ? "" : path.dirname(from.source.file);
      const relative = path.join(folder, written);
      if (!path.isAbsolute(written) && isBelow(relative)) {
        return toPosixPath(relative);
      }
      const hint = `use a path inside the project folder, relative to ${isCode(from.source.file) ? "that folder" : "this file"}`;
      collector.error(
        "outside-project",
        `${JSON.stringify(written)} leads outside the project folder`,
        from,
        hint,
      );
      return undefined;
    },
    rejectPrivate: (file: string, from: SourceRange) => rejectPrivate(file, from),
    /** Suggests an existing folder whose name differs from the missing one only in spelling. */
    suggestFolder: (folder: string) => (folder === "." ? undefined : suggestSpelling(folder, list)),
    /**
     * Opens a file and drops its byte order mark. Reports an unreadable file at `from`, the place that refers to it.
     */
    open(file: string, from: SourceRange | undefined) {
      if (from && rejectPrivate(file, from, isPrivate)) return undefined;
      if (!sources.has(file)) sources.set(file, open(file, from));
      const source = sources.get(file);
      return from && source && rejectKeys(source, from) ? undefined : source;
    },
  };
}

/** Returns whether a path is relative and stays in its starting folder, by the same rules on every operating system. */
export function isBelow(written: string): boolean {
  const [first] = path.normalize(written).split(/[\\/]/);
  return first !== ".." && !path.isAbsolute(written) && !path.win32.isAbsolute(written);
}

/**
 * Maximum file size. No handwritten file is nearly as large, but a file of this size is still read in a few seconds.
 */
const maxMegabytes = 16;
const maxBytes = maxMegabytes * 1024 * 1024;

function readFromDisk(absolute: string): Uint8Array {
  return readRegularSync(absolute, maxBytes);
}

/** Decodes bytes. A byte order mark at the start is part of the encoding, not of the text. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function reportUnreadable(
  root: string,
  file: string,
  error: unknown,
  from: SourceRange | undefined,
  { collector, list }: { readonly collector: DiagnosticsCollector; readonly list: ListNames },
): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
    collector.error("not-utf8", `${file} is not UTF-8 text`, from, "save it as UTF-8");
  } else if (code === "folder" || code === "not-regular") {
    const message = `${file} is a folder, a pipe, a socket or a device, not a regular file`;
    const hint = from
      ? "use the path of a text file"
      : `use the path of the manifest, such as ${file}/avatarops.yaml`;
    collector.error("not-a-file", message, from, hint);
  } else if (code === "too-large") {
    const hint = "choose another file, or split it and include the parts";
    collector.error("file-too-large", `${file} is larger than ${maxMegabytes} MB`, from, hint);
  } else if (code === "ENOENT" || code === "ENOTDIR") {
    const hint = suggestForMissing(file, from, list) ?? (from && explainRelativePath(file, from));
    collector.error("missing-file", `there is no file ${file}${from ? "" : ` in ${root}`}`, from, hint);
  } else {
    collector.error("unreadable-file", `${file} cannot be read (${code ?? (error as Error).message})`, from);
  }
}

/** Explains which folder a missing file's path is relative to, because users often assume the project folder. */
function explainRelativePath(missing: string, { source, start }: SourceRange): string | undefined {
  if (source.text.startsWith("{{>", start)) return `partials are files in ${path.posix.dirname(missing)}/`;
  const folder = path.posix.dirname(source.file);
  if (folder === "." || isCode(source.file)) return undefined;
  return `paths are relative to this file, which is in ${folder}/`;
}

/** Returns whether a file is code. Fields, paths and literals have a different notation in code than in YAML. */
export function isCode(file: string): boolean {
  return /\.[cm]?[jt]sx?$/i.test(file);
}
