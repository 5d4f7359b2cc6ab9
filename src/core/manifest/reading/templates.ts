import path from "node:path";
import type { SourceRange } from "../../../base/diagnostics/index.js";
import { type Composition, compose } from "../../templates/index.js";
import { readFileName } from "../sources/source-tag.js";
import { type Glob, matchesGlob } from "../tree/glob.js";
import { isTemplate, markdownParts } from "../tree/markdown.js";
import { readPattern } from "../tree/matching.js";
import { type MapNode, type Node, rangeAt } from "../tree/node.js";
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
  const found = new Map<Node, Composition | undefined>();
  const find = (node: Node): Composition | undefined => {
    const file = node.tag === "!file" ? readFileName(node, reading) : undefined;
    const source = node.at === "body" ? node.source : file === undefined ? undefined : files.open(file, node);
    if (!source || (node.tag && node.tag !== "!file")) return undefined;
    const { frontMatter, bodyStart } = markdownParts(source);
    const says = node.is === "scalar" && node.at === "body" ? node.template : isTemplate(frontMatter);
    if (!says && !isNamed(source.file)) return undefined;
    const start = node.at === "body" || says ? bodyStart : 0;
    const composition = compose(source, { variables: values, partial, start });
    for (const { severity, code, message, range, hint } of composition.problems)
      collector[severity](code, message, range, hint);
    for (const name of composition.variables) reading.usedVariables?.add(name);
    return composition;
  };
  return {
    find(node) {
      if (!found.has(node)) found.set(node, find(node));
      return found.get(node);
    },
  };
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
    const variables = root?.is === "map" ? root.entries.get("variables")?.value : undefined;
    if (variables?.is !== "map") continue;
    for (const [name, { range }] of variables.entries)
      if (!usedVariables?.has(name))
        collector.warning("unused-variable", `no template uses the variable ${name}`, range, "remove it");
  }
}
