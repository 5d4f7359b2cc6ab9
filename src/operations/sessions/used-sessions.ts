import { UsageError } from "../../base/diagnostics/index.js";
import { isUuid, toCanonicalId } from "../../base/text/index.js";
import type { Service } from "../../core/api/index.js";
import { type Kind, profileNames, sessionKinds } from "../../core/kinds/index.js";
import type { SessionFilter } from "../../sessions/reports/index.js";
import { assertSameService } from "../plan/plan.js";
import { createIdLookup } from "../project/presets.js";
import type { Project } from "../runtime/project.js";
import type { Runtime } from "../runtime/runtime.js";
import { readState } from "../state/project-store.js";

/**
 * Builds the filter for sessions that used the objects in options such as `context`, given by key, address or id. With
 * `by`, also builds a filter for each declared object of that kind.
 *
 * @throws UsageError
 */
export async function findSessionFilters(
  runtime: Runtime,
  project: Project,
  service: Service,
  options: object,
): Promise<{ readonly filter?: SessionFilter; readonly byAddress?: ReadonlyMap<string, SessionFilter> }> {
  const given = new Map<string, string | undefined>(Object.entries(options));
  const named = sessionKinds.filter(({ name }) => given.get(name) !== undefined);
  const dividing = sessionKinds.find(({ name }) => name === given.get("by"));
  if (named.length === 0 && !dividing) return {};
  requireProfile(project);
  const state = await readState(runtime, project);
  assertSameService(state, service);
  const idOf = createIdLookup(project, state);
  const toQuery = ({ name: kind, sessionFilter = "" }: Kind) => {
    const name = given.get(kind) ?? "";
    const address = name.startsWith(`${kind}.`) ? name : `${kind}.${name}`;
    const id = idOf(address) ?? (isUuid(name) ? toCanonicalId(name) : undefined);
    if (id !== undefined) return [sessionFilter, id];
    const hint = "Choose an object that is declared and applied, or use its id.";
    throw new UsageError("unknown-object", `The id of ${address} is unknown. ${hint}`);
  };
  const filter = Object.fromEntries(named.map(toQuery)) as SessionFilter;
  const filters = project.declarations.flatMap(({ address, kind: { name, sessionFilter = "" } }) => {
    const id = name === dividing?.name ? idOf(address) : undefined;
    return id === undefined ? [] : [[address, { ...filter, [sessionFilter]: id }] as const];
  });
  return { ...(named.length > 0 && { filter }), ...(dividing && { byAddress: new Map(filters) }) };
}

/** Keeps only the objects that `findSessionFilters` uses, for `withService`. */
export function restrictToSessionFilters(project: Project, options: object = {}): Project {
  const given = new Map<string, string | undefined>(Object.entries(options));
  const declarations = project.declarations.filter(
    ({ address, key, kind: { name } }) =>
      given.get("by") === name || [address, key].includes(given.get(name) ?? ""),
  );
  return { ...project, declarations, presets: [] };
}

/** @throws UsageError if the project has no profile. */
export function requireProfile({ service }: Pick<Project, "service">): void {
  if (service.profile !== undefined) return;
  const setting = `\`service: { profile: ${profileNames.join(" or ")} }\``;
  throw new UsageError(
    "needs-profile",
    `The service's documentation does not include this feature. If your deployment supports it, set the profile: ${setting}.`,
  );
}
