/** Checks when an object counts as written. `entry-points.test.ts` covers the outcome of each write. */

import { expect, test } from "vitest";
import { nodeSystem } from "../../src/base/system/index.js";
import { openService } from "../../src/core/api/index.js";
import type { Kind, RemoteObject, Spec } from "../../src/core/kinds/index.js";
import { updateObject, type WriteContext } from "../../src/core/lifecycle/index.js";

const createLive = (spec: Spec): RemoteObject => ({ id: "1", label: String(spec.name), spec, computed: {} });

/** Returns a kind that can be read and updated, and a service that records calls. */
function startWidget(stored: Spec, answer: (sent: Spec) => RemoteObject) {
  const events: string[] = [];
  const widget: Kind = {
    ...{
      name: "widget",
      title: "Widget",
      className: "Widget",
      collection: "widgets",
      description: "A widget.",
    },
    ...{ identity: "created", label: "name", computed: {}, afterForget: "It stays." },
    fields: { name: { type: "string", description: "Its name." } },
    example: { key: "one", id: "1", spec: { name: "One" } },
    async read() {
      events.push("read");
      return createLive(stored);
    },
    async update(_, __, { spec }) {
      events.push("update");
      return answer(spec);
    },
  };
  const service = openService({ baseUrl: "http://127.0.0.1:9", apiKey: "key", system: nodeSystem });
  const context: WriteContext = {
    ...{ kind: widget, service, reader: service, spec: { name: "New" }, values: {}, settleMs: 0 },
    list: () => Promise.reject(new Error("There is no list.")),
    isForeign: () => false,
    system: nodeSystem,
  };
  return { context, events };
}

test("normalizes an update's stored values with the caller's function before it compares them", async () => {
  const { context } = startWidget({ name: "old" }, () => createLive({ name: "NEW" }));
  const normalize: WriteContext["normalize"] = (value) => String(value).toLowerCase();
  expect(await updateObject({ ...context, normalize }, "1")).toMatchObject({ mismatches: [] });
  expect(await updateObject(context, "1")).toMatchObject({
    mismatches: [{ field: "name", summary: "The service stored a different name" }],
  });
});

test("sends no update if the live object already has the desired values", async () => {
  const { context, events } = startWidget({ name: "New" }, createLive);
  expect(await updateObject(context, "1", { skipIfSame: true })).toMatchObject({ outcome: "written" });
  expect(events).toEqual(["read"]);
});
