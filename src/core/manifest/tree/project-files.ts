import { readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { openSourceFile, type SourceFile, type SourceRange } from "../../../base/diagnostics/index.js";
import { isInside, isPrivate, posix, readRegularSync } from "../../../base/files/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import { hintForMissing, hintForSpelling, type ListNames } from "./missing-file.js";

/** Reads the text of a file by its absolute path; throws as `fs.readFileSync` does, or FileRefusedError. */
export type ReadFile = (absolute: string) => Uint8Array;

/**
 * The files of a project at another time, such as those of a commit, instead of those on the disk. Paths are absolute.
 * Throws errors with the system's codes, such as ENOENT.
 */
export interface FileTree {
  readonly readFile: ReadFile;
  /** The path behind links. */
  realpath(absolute: string): string;
  /** What a folder contains; links are listed as what they lead to. */
  entries(absolute: string): readonly { readonly name: string; readonly isFolder: boolean }[];
}

export type ProjectFiles = ReturnType<typeof projectFiles>;

/** The files of a project folder. Nothing outside it is ever read, not even through symbolic links. */
export function projectFiles(
  /** Absolute. */
  root: string,
  collector: DiagnosticsCollector,
  { tree, readFile = tree?.readFile ?? readFromDisk }: { readFile?: ReadFile; tree?: FileTree } = {},
) {
  // The system's own returns names as they are on the disk, whatever their case here.
  const realpath = tree ? tree.realpath : realpathSync.native;
  const sources = new Map<string, SourceFile | undefined>();
  let rootBehindLinks: string | undefined;
  const realRoot = () => {
    rootBehindLinks ??= realpath(root);
    return rootBehindLinks;
  };
  const followed = new Map<string, string>();
  const follow = (file: string) => {
    const target = followed.get(file) ?? realpath(path.join(root, file));
    followed.set(file, target);
    return target;
  };
  /** Whether the content of a file must not be shown; if so, reports it at `from`. */
  const isRefused = (file: string, from: SourceRange): boolean => {
    const names = [file, ...behindLinks(file)];
    const refused = names.find(isPrivate);
    if (refused === undefined) return false;
    const what = refused === file ? file : `${file}, a link to ${refused},`;
    const message = `${what} is not read: files with such names may hold keys, and its text would be shown`;
    collector.error("private-file", message, from, "if it holds no keys, give it another name");
    return true;
  };
  /** The target of a link, relative to the root; empty if there is no such file. */
  const behindLinks = (file: string): string[] => {
    try {
      return [posix(path.relative(realRoot(), follow(file)))];
    } catch {
      return [];
    }
  };
  const listed = new Map<string, readonly string[]>();
  /** Nothing outside the root is listed. */
  const list: ListNames = (folder) => {
    const known = listed.get(folder);
    if (known) return known;
    let names: readonly string[] = [];
    try {
      const target = follow(folder);
      if (isInside(realRoot(), target))
        names = tree ? tree.entries(path.join(root, folder)).map(({ name }) => name) : readdirSync(target);
    } catch {
      // There is no such folder.
    }
    listed.set(folder, names);
    return names;
  };
  const open = (file: string, from: SourceRange | undefined): SourceFile | undefined => {
    try {
      if (!isInside(realRoot(), follow(file))) {
        collector.error("outside-project", `${file} leads outside the project folder through a link`, from);
        return undefined;
      }
      const bytes = readFile(path.join(root, file));
      if (bytes.length > maxBytes)
        throw Object.assign(new Error(`${file} is too large`), { code: "too-large" });
      return openSourceFile(file, decode(bytes));
    } catch (error) {
      reportUnreadable(root, file, error, from, { collector, list });
      return undefined;
    }
  };
  return {
    root,
    /** If they are not those on the disk. */
    tree,
    /** Every file read, relative to the root, in the order of reading. */
    get read(): readonly string[] {
      return [...sources].filter(([, source]) => source).map(([file]) => file);
    },
    /**
     * `written`, from a file, as a path relative to the root; reports a path that leads outside. In code it is
     * already relative to the root, because it is not obvious which file a function is called from.
     */
    resolve(written: string, from: SourceRange): string | undefined {
      const folder = isCode(from.source.file) ? "" : path.dirname(from.source.file);
      const relative = path.join(folder, written);
      if (!path.isAbsolute(written) && isBelow(relative)) {
        return posix(relative);
      }
      const hint = `name a file in the project folder, relative to ${isCode(from.source.file) ? "that folder" : "the file this is written in"}`;
      collector.error(
        "outside-project",
        `${JSON.stringify(written)} leads outside the project folder`,
        from,
        hint,
      );
      return undefined;
    },
    isRefused,
    /** What is wrong with the spelling of a folder that does not exist. */
    hintForFolder: (folder: string) => (folder === "." ? undefined : hintForSpelling(folder, list)),
    /** A file's text without its byte order mark; one that cannot be read is reported at `from`, which names it. */
    open(file: string, from: SourceRange | undefined) {
      if (from && isRefused(file, from)) return undefined;
      if (!sources.has(file)) sources.set(file, open(file, from));
      return sources.get(file);
    },
  };
}

/** Whether a path as written is relative and does not leave its starting folder; the same on every system. */
export function isBelow(written: string): boolean {
  const [first] = path.normalize(written).split(/[\\/]/);
  return first !== ".." && !path.isAbsolute(written) && !path.win32.isAbsolute(written);
}

/** The maximum size of a file: far above what people write, and read in a few seconds. */
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
    const message = `${file} is not a regular file, but a folder, a pipe, a socket or a device`;
    const hint = from ? "name a text file" : `name the manifest, such as ${file}/avatarops.yaml`;
    collector.error("not-a-file", message, from, hint);
  } else if (code === "too-large") {
    const hint = "name the right file, or split it and include the parts";
    collector.error("file-too-large", `${file} has more than ${maxMegabytes} MB`, from, hint);
  } else if (code === "ENOENT" || code === "ENOTDIR") {
    const hint = hintForMissing(file, from, list) ?? (from && relativeHint(file, from));
    collector.error("missing-file", `there is no file ${file}${from ? "" : ` in ${root}`}`, from, hint);
  } else {
    collector.error("unreadable-file", `${file} cannot be read (${code ?? (error as Error).message})`, from);
  }
}

/** For a path that was perhaps written from the project folder, in a file of another one. */
function relativeHint(missing: string, { source, start }: SourceRange): string | undefined {
  if (source.text.startsWith("{{>", start)) return `partials are files in ${path.posix.dirname(missing)}/`;
  const folder = path.posix.dirname(source.file);
  if (folder === "." || isCode(source.file)) return undefined;
  return `paths are relative to the file they are written in; this one is in ${folder}/`;
}

/** Whether a file is code, which has its own names for fields, paths and literals. */
export function isCode(file: string): boolean {
  return /\.[cm]?[jt]sx?$/i.test(file);
}
