import path from "node:path";
import type { Source, SourceRange } from "../../../base/diagnostics/index.js";
import { documentKind } from "../../kinds/index.js";
import { type Composition, compose, loadParser } from "../../templates/index.js";
import { type Glob, matchesGlob } from "../tree/glob.js";
import { readPattern } from "../tree/matching.js";
import { entriesIn, type MapNode, type Node, nodeAt, rangeAt } from "../tree/node.js";
import type { Reading, Templates } from "../tree/reading.js";

/** The settings of templates, as written. */
export interface TemplateSettings {
  /** Values by name. */
  readonly variables: Readonly<Record<string, string>>;
  /** Patterns of the files that are templates. */
  readonly templates: readonly string[];
  /** The folder of partials, relative to the root. */
  readonly partials: string;
}

/** Composes the texts that are templates: those whose file says so in its front matter, and those that a pattern names. */
export function openTemplates(
  { variables, templates, partials }: TemplateSettings,
  root: MapNode,
  reading: Reading,
): Templates {
  const { collector, files } = reading;
  const patterns = templates.flatMap(
    (pattern, at) => readPattern(pattern, rangeAt(root, root, ["templates", at]), collector) ?? [],
  );
  const values = new Map(Object.entries(variables));
  const isNamed = (file: string) => patterns.some((pattern: Glob) => matchesGlob(file, pattern));
  const partial = (name: string, tag: SourceRange) => {
    const file = /\.[^./]+$/.test(name) ? name : `${name}.md`;
    const isRelative = /^\.\.?\//.test(name);
    const from = path.posix.dirname(tag.source.file);
    const found = files.resolve(
      isRelative ? file : path.posix.relative(from, path.posix.join(partials, file)),
      tag,
    );
    return found === undefined ? undefined : files.open(found, tag);
  };
  const found = new Map<Source, Composition>();
  return {
    find(source, body) {
      if (!body?.template && !isNamed(source.file)) return undefined;
      const known = found.get(source);
      if (known) return known;
      const composition = compose(source, { variables: values, partial, start: body?.start });
      found.set(source, composition);
      for (const { severity, code, message, range, hint } of composition.problems)
        collector[severity](code, message, range, hint);
      for (const name of composition.variables) reading.usedVariables?.add(name);
      return composition;
    },
  };
}

/** Loads what reads templates, if the files have any. */
export async function loadForTemplates(root: MapNode): Promise<void> {
  const environments = entriesIn(root.entries.get("environments")?.value);
  const isNaming = [root, ...Array.from(environments.values(), ({ value }) => value)].some((one) =>
    entriesIn(one).has("templates"),
  );
  const objects = entriesIn(root.entries.get(documentKind.kind.collection)?.value);
  const isSaying = Array.from(objects.values(), ({ value }) => nodeAt(value, [documentKind.body]));
  if (isNaming || isSaying.some((body) => body?.is === "scalar" && body.template)) await loadParser();
}

/** Whether a composition has errors, which were reported. */
export function isBroken({ problems }: Composition): boolean {
  return problems.some(({ severity }) => severity === "error");
}

/** Warns of the variables that no template of any environment uses. */
export function warnOfUnused(
  roots: readonly (Node | undefined)[],
  { collector, usedVariables }: Reading,
): void {
  for (const root of roots) {
    for (const [name, { range }] of entriesIn(entriesIn(root).get("variables")?.value))
      if (!usedVariables?.has(name))
        collector.warning("unused-variable", `no template uses the variable ${name}`, range, "remove it");
  }
}
