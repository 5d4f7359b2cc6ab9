import { toMapping } from "../../../base/text/index.js";
import { preset as descriptor, variablesKey } from "../../kinds/index.js";
import type { Declaration, Manifest, Preset } from "./manifest.js";
import { findClosedPlaceholders } from "./placeholders.js";

/** Dynamic variables of a session, which fill its context's placeholders. */
export interface PresetVariables {
  /** Placeholders that the preset gives no value, sorted. */
  readonly required: readonly string[];
  /** Variables that the preset gives a value, sorted. */
  readonly optional: readonly string[];
  /** Variables without a placeholder in the context. */
  readonly superfluous: readonly string[];
  /** Whether more variables may exist, because the context is not declared here. */
  readonly isOpen: boolean;
}

/** Lists the unique placeholders in an object's texts, sorted. */
export function listPlaceholders({ kind, spec }: Pick<Declaration, "kind" | "spec">): string[] {
  const names = Object.entries(kind.fields).flatMap(([name, field]) => {
    const value = spec[name];
    if (field.type !== "string" || !field.prose || typeof value !== "string") return [];
    return findClosedPlaceholders(value).map((placeholder) => placeholder.name);
  });
  return [...new Set(names.filter(Boolean))].sort();
}

/** Compares a preset's variables with the placeholders in its context. */
export function readVariables(
  { body, references, sources = [] }: Preset,
  { declarations }: Pick<Manifest, "declarations">,
): PresetVariables {
  const { reference } = descriptor.expects;
  const address = references.find(({ path }) => path.join() === reference.join())?.address;
  const context = declarations.find((declaration) => declaration.address === address);
  const optional = new Set([
    ...Object.keys(toMapping(body[variablesKey])),
    ...sources.flatMap(({ path: [key, name, ...rest] }) =>
      key === variablesKey && typeof name === "string" && rest.length === 0 ? [name] : [],
    ),
  ]);
  const names = context ? listPlaceholders(context) : [];
  return {
    required: names.filter((name) => !optional.has(name)),
    optional: [...optional].sort(),
    superfluous: context ? [...optional].filter((name) => !names.includes(name)) : [],
    isOpen: context === undefined,
  };
}
