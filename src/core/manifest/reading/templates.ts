import path from "node:path";
import type { SourceRange } from "../../../base/diagnostics/index.js";
import { type Composition, compose, loadParser } from "../../templates/index.js";
import { matchesGlob } from "../tree/glob.js";
import { listChildren, listEntries, type MapNode, type Node } from "../tree/node.js";
import type { Reading, Templates } from "../tree/reading.js";

export interface TemplateSettings {
  readonly variables: Readonly<Record<string, string>>;
  /** Patterns that match template files. */
  readonly templates: readonly string[];
  /** The partials folder, relative to the root. */
  readonly partials: string;
  /** Whether it is unknown which files are templates, or where the partials are. */
  readonly hasTemplateErrors?: boolean;
}

/** Maximum total size of the compositions in all environments (see `Composition.size`). */
const maxProjectSize = 64_000_000;

export function openTemplateBudget() {
  return { left: maxProjectSize };
}

/** Composes texts that have `template: true` in their front matter, have their own variables, or match a pattern. */
export function openTemplates(
  { variables, templates, partials }: TemplateSettings,
  root: MapNode,
  reading: Reading,
): Templates {
  const { collector, files, templateBudget: budget = openTemplateBudget() } = reading;
  const values = new Map(Object.entries(variables));
  const isNamed = (file: string) => templates.some((pattern) => matchesGlob(file, pattern));
  const readPartial = (name: string, tag: SourceRange) => {
    const file = /\.[^./]+$/.test(name) ? name : `${name}.md`;
    const isRelative = /^\.\.?\//.test(name);
    const from = path.posix.dirname(tag.source.file);
    const found = files.resolve(
      isRelative ? file : path.posix.relative(from, path.posix.join(partials, file)),
      tag,
    );
    return found === undefined ? undefined : files.open(found, tag);
  };
  const variableEntries = listEntries(root.entries.get("variables")?.value);
  const found = new Map<string, Composition>();
  return {
    find(source, node, own) {
      const body = node.is === "scalar" && node.at === "body" ? node : undefined;
      if (!body?.template && !own && !isNamed(source.file)) return undefined;
      const given = Object.entries(own ?? {});
      const key = JSON.stringify([source.file, body?.start, given]);
      const known = found.get(key);
      if (known || budget.left < 0) return known;
      const composition = compose(source, {
        variables: new Map([...values, ...given]),
        ...{ findPartial: readPartial, start: body?.start },
        findVariable: (name) => (Object.hasOwn(own ?? {}, name) ? node : variableEntries.get(name)?.value),
      });
      found.set(key, composition);
      budget.left -= composition.size;
      if (budget.left < 0) {
        const message = `the templates in all environments are longer than ${maxProjectSize / 1_000_000} million characters`;
        collector.error("template-size", message, node, "split the project, or use shorter partials");
      }
      for (const { severity, code, message, range, hint } of composition.problems)
        collector[severity](code, message, range, hint);
      for (const name of composition.variables)
        if (!Object.hasOwn(own ?? {}, name)) reading.usedVariables?.add(name);
      for (const [name] of given)
        if (!composition.variables.has(name))
          collector.warning("unused-argument", `${source.file} does not use the variable ${name}`, node);
      return composition;
    },
  };
}

/** Loads the template parser only if a text may be a template. */
export async function loadForTemplates(root: MapNode): Promise<void> {
  const environments = listEntries(root.entries.get("environments")?.value);
  const hasPatterns = [root, ...Array.from(environments.values(), ({ value }) => value)].some((one) =>
    listEntries(one).has("templates"),
  );
  if (hasPatterns || hasTemplate(root)) await loadParser();
}

/** Returns whether a tree contains a text that may be a template even if no pattern matches it. */
function hasTemplate(node: Node): boolean {
  if (node.is === "scalar") return node.template === true;
  return (node.is === "map" && node.tag === "!file") || listChildren(node).some(hasTemplate);
}

/** Returns whether a composition has errors, which are already reported. */
export function isBroken({ problems }: Composition): boolean {
  return problems.some(({ severity }) => severity === "error");
}

/** Warns about variables that no template uses in any environment. After an error, templates may be missing. */
export function warnAboutUnused(
  roots: readonly (Node | undefined)[],
  { collector, usedVariables }: Reading,
): void {
  if (collector.hasErrors) return;
  for (const root of roots) {
    for (const [name, { range }] of listEntries(listEntries(root).get("variables")?.value))
      if (!usedVariables?.has(name))
        collector.warning("unused-variable", `no template uses the variable ${name}`, range, "remove it");
  }
}
