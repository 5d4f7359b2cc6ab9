import { realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openSourceFile, type SourceFile, type SourceRange } from "../../base/diagnostics/index.js";
import { isInside, readRegularSync, toPosixPath } from "../../base/files/index.js";
import type { Reading } from "../manifest/index.js";
import type { Frame } from "./call-site.js";
import type { Runner } from "./runner.js";

export type Locator = ReturnType<typeof createLocator>;

/** Maps stack frames to source ranges. */
export function createLocator({ files }: Reading, runner: Runner) {
  const roots = [files.root, realpathSync(files.root)];
  const opened = new Map<string, OpenedSource | undefined>();

  const open = (absolute: string): OpenedSource | undefined => {
    if (!opened.has(absolute)) opened.set(absolute, openFile(absolute));
    return opened.get(absolute);
  };
  const openFile = (absolute: string): OpenedSource | undefined => {
    const own = roots.find((root) => isInside(root, absolute));
    const relative = own && path.relative(own, absolute);
    const source =
      relative === undefined || isPackage(relative)
        ? openForeignFile(path.relative(files.root, absolute), absolute)
        : files.open(toPosixPath(relative), undefined);
    return source && { source, lineStarts: findLineStarts(source.text) };
  };
  const isOwn = ({ file }: Frame) =>
    roots.some((root) => isInside(root, file) && !isPackage(path.relative(root, file)));

  return {
    /** Locates the innermost call in the user's code, or the innermost call if the stack contains only packages. */
    locate(frames: readonly Frame[]): SourceRange | undefined {
      const paths = frames.map((frame) =>
        frame.file.startsWith("file:") ? { ...frame, file: fileURLToPath(frame.file) } : frame,
      );
      const plain = paths.filter(({ file }) => path.isAbsolute(file));
      const frame = plain.find(isOwn) ?? plain[0];
      if (!frame) return undefined;
      const { file, line, column } = runner.written(frame);
      const from = open(file);
      return from && findWord(from.source, (from.lineStarts[line - 1] ?? 0) + column - 1);
    },
  };
}

interface OpenedSource {
  readonly source: SourceFile;
  readonly lineStarts: readonly number[];
}

/** Opens a file outside the project to show its lines. */
function openForeignFile(relative: string, absolute: string): SourceFile | undefined {
  try {
    return openSourceFile(toPosixPath(relative), readRegularSync(absolute).toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Returns the word at an offset: the called constructor, a function before its "(", or any word. */
function findWord(source: SourceFile, offset: number): SourceRange {
  let start = offset;
  if (source.text.charAt(start) === "(") while (/[\w$.]/.test(source.text.charAt(start - 1))) start -= 1;
  const meant = /(?:new\s+)?[\w$.]+/y;
  meant.lastIndex = start;
  return { source, start, end: start + (meant.exec(source.text)?.[0].length ?? 1) };
}

/** Finds line starts. In JavaScript, U+2028 and U+2029 also end lines. */
function findLineStarts(text: string): number[] {
  return [
    0,
    ...Array.from(text.matchAll(/\r\n|[\n\r\u2028\u2029]/g), ({ index, 0: end }) => index + end.length),
  ];
}

function isPackage(relative: string): boolean {
  return relative.split(path.sep).includes("node_modules");
}
