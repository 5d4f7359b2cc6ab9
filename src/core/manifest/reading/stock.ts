import type { Diagnostic } from "../../../base/diagnostics/index.js";
import { findKind, findStock, listPresetReferences, preset, readStockName } from "../../kinds/index.js";
import { toDiagnostics } from "../sources/to-diagnostics.js";
import { createCollector } from "../tree/diagnostics-collector.js";
import type { Manifest } from "./manifest.js";

/** Finds stock objects whose id is unknown. Each result has a function that fills in the id. */
export function findStockNames({ declarations, presets }: Pick<Manifest, "declarations" | "presets">) {
  const declared = declarations.flatMap((declaration) => {
    const { stock: name, address, kind, keys, range } = declaration;
    if (name === undefined) return [];
    const fillIn = (id: string) => Object.assign(declaration, { id, stock: undefined });
    return [{ kind: kind.name, name, subject: `${address}.id`, range: keys?.id ?? range, fillIn }];
  });
  const inPresets = presets.flatMap(({ key, body, range }) =>
    listPresetReferences().flatMap(({ into }) => {
      const field = into.at(-1) ?? "";
      const owner = Object(into.slice(0, -1).reduce<unknown>((at, part) => Object(at)[part], body));
      const named = readStockName(owner[field]);
      const fillIn = (id: string) => Object.assign(owner, { [field]: id });
      return named ? [{ ...named, subject: `${preset.collection}.${key}.${field}`, range, fillIn }] : [];
    }),
  );
  return [...declared, ...inPresets];
}

/**
 * Looks up the project's stock objects and fills in their ids.
 *
 * @returns Errors for unknown names.
 * @throws ServiceError
 */
export async function resolveStock(
  service: Parameters<typeof findStock>[1],
  manifest: Manifest,
): Promise<readonly Diagnostic[]> {
  const collector = createCollector();
  await Promise.all(
    findStockNames(manifest).map(async ({ kind, name, subject, range, fillIn }) => {
      const found = await findStock(findKind(kind, manifest.service.profile), service, name);
      if ("id" in found) {
        fillIn(found.id);
        return;
      }
      // Hides the line, because it may contain a secret, and the ranges to redact are no longer known here.
      collector.redact(range);
      collector.error("unknown-stock", `${subject}: ${found.problem}`, range, found.hint);
    }),
  );
  return toDiagnostics(collector);
}
