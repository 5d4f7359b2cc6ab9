/** What a write reads, journals and sends, in this order. */
import { expect, test } from "vitest";
import { openService } from "../../src/core/api/index.js";
import type { Kind, Live, Spec } from "../../src/core/kinds/index.js";
import { createObject, updateObject, type WriteContext } from "../../src/core/lifecycle/index.js";

const live = (spec: Spec): Live => ({ id: "1", label: String(spec.name), spec, computed: {} });

/** A kind that can be read and changed, with a value that cannot be seen; its service notes what happens, in order. */
function startWidget(stored: Spec, answer: (sent: Spec) => Live) {
  const events: string[] = [];
  const text = (description: string) => ({ type: "string", description }) as const;
  const widget: Kind = {
    ...{
      name: "widget",
      title: "Widget",
      className: "Widget",
      collection: "widgets",
      description: "A widget.",
    },
    ...{ identity: "created", label: "name", computed: {}, afterForget: "It stays." },
    fields: { name: text("Its name."), token: { ...text("A value."), writeOnly: true } },
    example: { key: "one", id: "1", spec: { name: "One" } },
    async read() {
      events.push("read");
      return live(stored);
    },
    async create(_, { spec, secret }) {
      events.push(`create with ${secret.token ?? "nothing"}`);
      return answer(spec);
    },
    async update(_, __, { spec, secret }) {
      events.push(`update with ${secret.token ?? "nothing"}`);
      return answer(spec);
    },
  };
  const service = openService({ baseUrl: "http://127.0.0.1:9", apiKey: "key" });
  const context: WriteContext = {
    ...{ kind: widget, service, reader: service, spec: { name: "New" }, values: {}, settleMs: 0 },
    list: () => Promise.reject(new Error("There is no list.")),
    isForeign: () => false,
    beforeSend: async () => void events.push("journal"),
    now: Date.now,
  };
  return { context, events };
}

test("the journal is written after the last look and before the request", async () => {
  const { context, events } = startWidget({ name: "Old" }, live);
  expect(await updateObject(context, "1", { expected: { spec: { name: "Old" } } })).toMatchObject({
    outcome: "written",
    mismatches: [],
  });
  expect(events).toEqual(["read", "journal", "update with nothing"]);
});

test("an object that changed is neither journalled nor written", async () => {
  const { context, events } = startWidget({ name: "Theirs" }, live);
  const expected = { spec: { name: "Old" } };
  expect(await updateObject(context, "1", { expected })).toMatchObject({
    outcome: "stale",
    fields: ["name"],
  });
  expect(events).toEqual(["read"]);
});

test("nothing is sent when the journal cannot be written", async () => {
  const { context, events } = startWidget({ name: "Old" }, live);
  const beforeSend = () => Promise.reject(new Error("The disk is full."));
  await expect(createObject({ ...context, beforeSend })).rejects.toThrow("The disk is full.");
  await expect(updateObject({ ...context, beforeSend }, "1")).rejects.toThrow("The disk is full.");
  expect(events).toEqual(["read"]);
});

test("values are compared in the form that the caller gives", async () => {
  const { context } = startWidget({ name: "old" }, () => live({ name: "NEW" }));
  const normalize: WriteContext["normalize"] = (value) => String(value).toLowerCase();
  expect(await updateObject({ ...context, normalize }, "1")).toMatchObject({ mismatches: [] });
  expect(await updateObject(context, "1")).toMatchObject({
    mismatches: [{ field: "name", summary: "The service stored a different name" }],
  });
});

test("an object that is as declared already is not written where that is enough", async () => {
  const { context, events } = startWidget({ name: "New" }, live);
  expect(await updateObject(context, "1", { skipIfSame: true })).toMatchObject({ outcome: "written" });
  expect(events).toEqual(["read"]);
});
