import type { ShownSecret, StateSecretsDocument } from "../documents/index.js";
import { count } from "./phrases.js";
import { type Line, styled, type TextOptions, toTerminal, wrap } from "./span.js";

/** The secrets of a state, for a terminal. */
export function renderStateSecretsText(state: StateSecretsDocument, options: TextOptions): string {
  const width = Math.max(options.width, 24);
  const stale = state.secrets.reduce((sum, secret) => sum + secret.stale.length, 0);
  const left = stale === 0 ? "" : ` ${count(stale, "superseded object")} still stored in the service.`;
  const ending = `${count(state.secrets.length, "secret")} of ${state.service}.${left}`;
  const lines = state.secrets.flatMap((secret) => [...secretLines(secret, width), []]);
  const margins = { width, first: [styled("  ")], rest: [styled("  ")] };
  return toTerminal([...lines, ...wrap([styled(ending, "strong")], margins)], options.color);
}

function secretLines({ address, id, label, written_at, fields, stale }: ShownSecret, width: number): Line[] {
  const facts: (readonly [name: string, value: string])[] = [
    ["id", id],
    ...fields.flatMap(({ field, source = "not declared in any file", version }) => [
      [field, source] as const,
      ...(version === undefined ? [] : [["version", version] as const]),
    ]),
    ["written", written_at ?? "not recorded"],
    ...stale.map(
      ({ id, since, age_days }) =>
        ["stale", `${id}, superseded on ${since} (${count(age_days, "day")} ago)`] as const,
    ),
  ];
  const column = facts.reduce((longest, [name]) => Math.max(longest, name.length), 0) + 2;
  const title = label === "" ? [] : [styled(`  "${label}"`)];
  return [
    [styled("  "), styled(address, "strong"), ...title],
    ...facts.flatMap(([name, value]) => {
      const first = [styled("    "), styled(name.padEnd(column), name === "stale" ? "warning" : "dim")];
      return wrap([styled(value)], { width, first, rest: [styled(" ".repeat(column + 4))] });
    }),
  ];
}
