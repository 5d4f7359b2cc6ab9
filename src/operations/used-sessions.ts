import { UsageError } from "../base/diagnostics/index.js";
import type { Service } from "../core/api/index.js";
import { profileNames } from "../core/kinds/index.js";
import type { SessionFilter } from "../sessions/reports/index.js";
import { refuseOtherService } from "./plan.js";
import { idLookup } from "./presets.js";
import type { Project } from "./project.js";
import { readState } from "./project-store.js";
import type { Runtime } from "./runtime.js";

/** What sessions used: names or addresses of the files, or ids. */
export type UsedObjects = Readonly<Partial<Record<"context" | "avatar", string | undefined>>>;

/**
 * The filter for the sessions that used these objects; and, if they are to be divided so, those of the sessions that used
 * each declared object of the kind `by`. @throws UsageError
 */
export async function findUses(
  runtime: Runtime,
  project: Project,
  service: Service,
  { context, avatar, by }: UsedObjects & { readonly by?: string | undefined },
): Promise<{ readonly filter?: SessionFilter; readonly byAddress?: ReadonlyMap<string, SessionFilter> }> {
  const named = Object.entries({ context, avatar }).filter(([, name]) => name !== undefined);
  const isDivided = by === "context" || by === "avatar";
  if (named.length === 0 && !isDivided) return {};
  requireProfile(project);
  const state = await readState(runtime, project);
  refuseOtherService(state, service);
  const idOf = idLookup(project, state);
  const toQuery = ([kind, name = ""]: readonly [string, string | undefined]) => {
    const address = name.startsWith(`${kind}.`) ? name : `${kind}.${name}`;
    const id = idOf(address) ?? (/^[\da-f-]{36}$/i.test(name) ? name : undefined);
    if (id !== undefined) return [`${kind}_id`, id];
    const hint = "name one that is declared and applied, or give its id.";
    throw new UsageError("unknown-object", `No id is known for ${address}: ${hint}`);
  };
  const filter = Object.fromEntries(named.map(toQuery)) as SessionFilter;
  const filters = project.declarations.flatMap(({ address, kind }) => {
    const id = idOf(address);
    return kind.name !== by || id === undefined ? [] : [[address, { ...filter, [`${by}_id`]: id }] as const];
  });
  return { ...(named.length > 0 && { filter }), ...(isDivided && { byAddress: new Map(filters) }) };
}

/** @throws UsageError if the service offers no more than its document. */
export function requireProfile({ service }: Pick<Project, "service">): void {
  if (service.profile === undefined) throw needsProfile("The service's document does not have this.");
}

/** @param why a sentence. */
export function needsProfile(why: string): UsageError {
  const setting = `\`service: { profile: ${profileNames.join(" or ")} }\``;
  return new UsageError("needs-profile", `${why} If your deployment does, name its profile: ${setting}.`);
}
