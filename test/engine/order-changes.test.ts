/** Names may be unique in an account: who takes one waits for who gives it up. */
import { expect, it } from "vitest";
import { plan } from "../../src/core/engine/index.js";
import type { Spec } from "../../src/core/kinds/index.js";
import { declare, live, manifestOf, observationOf, stateOf } from "./building.js";

/** Which change waits for which, of contexts that are declared so and live so. */
function turnsOf(contexts: Readonly<Record<string, readonly [declared: Spec, live: Spec]>>) {
  const all = Object.entries(contexts);
  const entries = all.map(([key, [, applied]]) => [`context.${key}`, { id: key, applied }] as const);
  const seen = all.map(([key, [, spec]]) => {
    const found = {
      seen: "live" as const,
      live: live("context", key, { opening_text: "", links: [], ...spec }),
    };
    return [`context.${key}`, { ...found, settled: true }] as const;
  });
  const { changes } = plan(
    manifestOf(...all.map(([key, [declared]]) => declare(`context.${key}`, declared))),
    stateOf(Object.fromEntries(entries as never)),
    observationOf(Object.fromEntries(seen)),
    { service: "https://a.example" },
  );
  return Object.fromEntries(changes.map(({ address, after = [] }) => [address, after]));
}

const named = (name: string, prompt = "Be kind.") => ({ name, prompt });

it("makes who takes a name wait for who gives it up", () => {
  expect(turnsOf({ a: [named("New"), named("Old")], b: [named("Old"), named("Other")] })).toEqual({
    "context.a": [],
    "context.b": ["context.a"],
  });
});

it("refuses two that swap their names", () => {
  const swapped = { a: [named("Y"), named("X")], b: [named("X"), named("Y")] } as const;
  expect(() => turnsOf(swapped)).toThrow('context.b takes the name "X" of context.a');
});

it("lets nobody wait for a name they have already", () => {
  expect(
    turnsOf({ a: [named("New"), named("Desk")], b: [named("Desk", "Be quick."), named("Desk")] }),
  ).toEqual({
    "context.a": [],
    "context.b": [],
  });
});

it("asks whether this is another account when all that could be seen is gone, whatever could not be", () => {
  const spec = named("Desk");
  const entries = { "context.a": { id: "1", applied: spec }, "context.b": { id: "2", applied: spec } };
  const unseen = { "voice.anna": { id: "v", applied: { name: "Anna" } } };
  const { notices } = plan(
    manifestOf(
      declare("context.a", spec),
      declare("context.b", spec),
      declare("avatar.host", { name: "Host" }, "h"),
      declare("voice.anna", { name: "Berta" }, "v"),
    ),
    stateOf({ ...entries, ...unseen }),
    observationOf({
      "context.a": { seen: "absent" },
      "context.b": { seen: "absent" },
      "avatar.host": { seen: "absent" },
      "voice.anna": { seen: "unobservable" },
    }),
    { service: "https://a.example" },
  );
  expect(notices.map(({ code }) => code)).toEqual(["all-vanished"]);
});
