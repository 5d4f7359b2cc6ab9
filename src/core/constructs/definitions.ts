import { realpathSync } from "node:fs";
import path from "node:path";
import { Construct } from "constructs";
import type { SourceRange } from "../../base/diagnostics/index.js";
import { isInside, toPosixPath } from "../../base/files/index.js";
import {
  type DefinitionReader,
  findConflict,
  type LoadedManifest,
  type LoadOptions,
  type MapNode,
  type Reading,
  readFileText,
  loadManifest as readManifest,
  reportConflict,
} from "../manifest/index.js";
import { type SourceKind, sourceNames } from "../secrets/index.js";
import { type Frame, parseFrames } from "./call-site.js";
import { readDeclaration } from "./declared.js";
import { runDefinition, setLoadContext, startLoad } from "./load-context.js";
import { createLocator, type Locator } from "./locator.js";
import type { Packages } from "./runner.js";
import { synthesize } from "./synthesize.js";

/**
 * Prepares to run a project's TypeScript files. Waits until other loads in the process are closed. `library` loads this
 * package's exports for projects that have not installed the package.
 */
export async function openDefinitions(
  reading: Reading,
  library?: () => Promise<object>,
): Promise<DefinitionReader> {
  const end = await startLoad();
  try {
    return await createReader(reading, library, end);
  } catch (error) {
    end();
    throw error;
  }
}

/** @param end Ends the load. */
async function createReader(
  reading: Reading,
  library: (() => Promise<object>) | undefined,
  end: () => void,
): Promise<DefinitionReader> {
  const packages: Packages = {
    constructs: () => import("constructs"),
    ...(library ? { avatarops: library } : {}),
  };
  const { files } = reading;
  // Loaded on demand, because programs that embed the library may not use TypeScript files.
  const { startRunner } = await import("./runner.js");
  const runner = await startRunner(files.root, packages);
  if (runner.tsconfigError !== undefined) {
    const message = `tsconfig.json cannot be read, so its paths are not used: ${runner.tsconfigError}`;
    const hint = "correct the nearest tsconfig.json, or install the package that it extends";
    reading.collector.warning("tsconfig", message.replace(/\.$/, ""), undefined, hint);
  }
  const locator = createLocator(reading, runner);
  const texts = readTexts(reading, locator);
  const sources = createOwnSources(reading, locator);
  return {
    async read(file, from) {
      setLoadContext({
        environment: reading.environment,
        readText: texts.read,
        defineSource: sources.define,
      });
      try {
        const exported = await runDefinition(() => runner.run(path.join(files.root, file)));
        return readExport(exported, { file, from, reading, locator, findFile: texts.findFile });
      } catch (error) {
        reportFailure(error, { file, reading, locator });
        return undefined;
      } finally {
        setLoadContext(undefined);
      }
    },
    sources: sources.defined,
    modules: () => listInside(files.root, runner.listModules()),
    close() {
      runner.close();
      end();
    },
  };
}

/**
 * Reads the desired state from a project's files, and runs its TypeScript files. Needs no network, environment variables or
 * secrets, because sources are kept unresolved.
 */
export function loadManifest(options: LoadOptions): Promise<LoadedManifest> {
  return readManifest({ definitions: (reading) => openDefinitions(reading), ...options });
}

/** Returns the files in the project folder, relative to it. */
function listInside(root: string, absolute: readonly string[]): string[] {
  const roots = [root, realpathSync(root)];
  return absolute.flatMap((file) => {
    const own = roots.find((one) => isInside(one, file));
    return own === undefined ? [] : toPosixPath(path.relative(own, file));
  });
}

function createOwnSources({ collector }: Reading, locator: Locator) {
  const kinds = new Map<string, SourceKind>();
  return {
    defined: () => kinds.values(),
    define(kind: SourceKind, calledAt: readonly Frame[]): void {
      const range = locator.locate(calledAt);
      const name = String(kind.name);
      if (!/^[a-z][a-z\d]*(-[a-z\d]+)*$/.test(name)) {
        const message = `${JSON.stringify(name)} is not a valid source name`;
        const hint = 'use lower-case words joined with "-", because the name is also the YAML tag';
        collector.error("invalid-name", message, range, hint);
      } else if (sourceNames.includes(name) || kinds.has(name)) {
        const message = `a source named ${JSON.stringify(name)} already exists`;
        collector.error("duplicate-name", message, range, "choose another name");
      } else kinds.set(name, kind);
    },
  };
}

/**
 * Reads files for definitions, and records which file each string came from. An empty string, or one that several files
 * contain, has no file.
 */
function readTexts({ files, collector }: Reading, locator: Locator) {
  const findFile = new Map<string, string | undefined>([["", undefined]]);
  return {
    findFile: (text: string) => findFile.get(text),
    read(written: string, calledAt: readonly Frame[]): string {
      const range = locator.locate(calledAt);
      const file = range && files.resolve(written, range);
      const source = file === undefined ? undefined : files.open(file, range);
      if (file === undefined || !source) {
        collector.incomplete();
        return "";
      }
      const text = readFileText(source.text);
      const isTaken = findFile.has(text) && findFile.get(text) !== file;
      findFile.set(text, isTaken ? undefined : file);
      return text;
    },
  };
}

interface ReadContext {
  readonly file: string;
  readonly from: SourceRange | undefined;
  readonly reading: Reading;
  readonly locator: Locator;
  findFile(text: string): string | undefined;
}

/** Reads the declarations of an exported project. */
function readExport(
  exported: unknown,
  { file, from, reading, locator, findFile }: ReadContext,
): MapNode | undefined {
  const { collector } = reading;
  const byName = (Object(exported) as { default?: unknown }).default;
  const project = readDeclaration(byName) ? byName : exported;
  const declared = readDeclaration(project);
  const start = findStart(file, reading);
  if (declared?.what === "project" && declared.version === 1 && Construct.isConstruct(project)) {
    const root = synthesize(project, declared, {
      collector,
      findFile,
      locate: (frames) => locator.locate(frames) ?? start,
    });
    // Makes code that is still running fail if it creates a construct.
    project.node.lock();
    return root;
  }
  const hint = `end it with \`export default project\`${from ? ", or leave it out of include" : ""}`;
  if (!Object.hasOwn(Object(exported), "default"))
    collector.error("no-project", `${file} has no default export`, start, hint);
  else collector.error("no-project", `the default export of ${file} is not a Project`, start, hint);
  return undefined;
}

function findStart(file: string, { files }: Reading): SourceRange {
  const source = files.open(file, undefined);
  if (!source) throw new Error(`Bug: ${file} was run but cannot be read`);
  return { source, start: 0, end: 1 };
}

/** Reports a runtime error at its position, or at the start of the file. */
function reportFailure(
  error: unknown,
  { file, reading, locator }: Pick<ReadContext, "file" | "reading" | "locator">,
): void {
  const { collector } = reading;
  const errorText = error instanceof Error ? error.message : String(error);
  const syntax = parseSyntaxError(errorText);
  if (syntax) {
    const { what, file: at, line, column } = syntax;
    const range = locator.locate([{ file: at, line, column: column + 1 }]);
    const conflict = range && findConflict({ ...range, start: 0, end: range.source.text.length });
    const message = `this is not valid TypeScript: ${what}`;
    if (conflict) reportConflict(conflict, collector);
    else collector.error("typescript-syntax", message, range ?? findStart(file, reading));
    return;
  }
  const kind = error instanceof Error ? error.name : "a value that is not an error";
  const [firstLine = ""] = errorText.split("\n");
  const message = `${file} threw ${kind}: ${Array.from(firstLine).slice(0, 300).join("")}`;
  collector.error(
    "definition-threw",
    message,
    locator.locate(parseFrames(error)) ?? findStart(file, reading),
  );
}

/** Parses a syntax error from jiti, which starts with `ParseError: MESSAGE` and ends with `FILE:LINE:COLUMN`. */
function parseSyntaxError(message: string) {
  const [, what] = /^ParseError: ([^\n]*)\n/.exec(message) ?? [];
  const [, file = "", line, column] =
    what === undefined
      ? []
      : (/^ (.+):(\d+):(\d+)$/.exec(message.slice(message.lastIndexOf("\n") + 1)) ?? []);
  return what === undefined || file === ""
    ? undefined
    : { what: what.trimEnd(), file, line: Number(line), column: Number(column) };
}
