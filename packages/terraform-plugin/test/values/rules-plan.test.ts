import { describe, expect, it } from "vitest";
import type { Attributes } from "../../src/attribute.js";
import { Decimal, Dynamic, Unknown, type Value } from "../../src/values/value.js";
import { planViolations } from "../../src/violations/violations.js";
import { aLink, attributes, description, lines, object } from "./sample.js";

type Sample = [name: string, change: { prior?: Value; config: Value; planned: Value }];
type BrokenSample = [...Sample, broken: string[]];

function planLines({ prior = null, config, planned }: Sample[1]): string[] {
  return lines(planViolations({ attributes, prior, config, planned }));
}

describe("a plan that is right", () => {
  it.each<Sample>([
    ["takes the configuration over", { config: object({ name: "a" }), planned: object({ name: "a" }) }],
    ["of nothing is nothing", { prior: object(), config: null, planned: null }],
    [
      "has numbers in another form",
      { config: object({ size: 1n }), planned: object({ size: new Decimal("1.0") }) },
    ],
    [
      "has a set in another order",
      { config: object({ tags: ["a", "b"] }), planned: object({ tags: ["b", "a"] }) },
    ],
    [
      "has text in another normal form",
      { config: object({ name: "\u00e9" }), planned: object({ name: "e\u0301" }) },
    ],
    [
      "keeps what was, where the configuration means the same",
      { prior: object({ name: "A" }), config: object({ name: "a" }), planned: object({ name: "A" }) },
    ],
    ["computes what is computed", { config: object(), planned: object({ id: Unknown, size: 3 }) }],
    [
      "has unknown what is unknown",
      { config: object({ name: Unknown }), planned: object({ name: Unknown }) },
    ],
    ["leaves out what is write-only", { config: object({ secret: "s" }), planned: object() }],
    [
      "keeps what was inside of an element",
      {
        prior: object({ list: [aLink({ faq: "Q" })] }),
        config: object({ list: [aLink({ faq: "q" })] }),
        planned: object({ list: [aLink({ faq: "Q" })] }),
      },
    ],
    [
      "computes a whole list that is computed",
      { config: object(), planned: object({ made: [aLink({ id: "i" })] }) },
    ],
    ["has a whole computed list unknown", { config: object(), planned: object({ made: Unknown }) }],
    [
      "has an unknown object unknown",
      { config: object({ list: Unknown }), planned: object({ list: Unknown }) },
    ],
    [
      "has an unknown element unknown",
      { config: object({ list: [Unknown] }), planned: object({ list: [Unknown] }) },
    ],
  ])("%s", (_, change) => {
    expect(planLines(change)).toEqual([]);
  });
});

describe("a plan that is wrong", () => {
  it.each<BrokenSample>([
    ["forgets the object", { config: object(), planned: null }, [": must not be planned null"]],
    ["keeps what goes", { config: null, planned: object() }, [": is to be deleted and must be planned null"]],
    ["knows nothing", { config: object(), planned: Unknown }, [": must not be planned unknown as a whole"]],
    [
      "lacks an attribute",
      { config: object(), planned: { id: null } },
      [': must be of its type: the attribute "name" is missing'],
    ],
    [
      "has a value of another type",
      { config: object(), planned: object({ list: [aLink({ rank: "1" })] }) },
      ["list[0].rank: must be of its type: a number is required, but this is a string"],
    ],
    [
      "changes what is configured",
      { config: object({ name: "a" }), planned: object({ name: "b" }) },
      ["name: must be as in the configuration"],
    ],
    [
      "changes it to neither the one nor the other",
      { prior: object({ name: "b" }), config: object({ name: "a" }), planned: object({ name: "c" }) },
      ["name: must be as in the configuration, or as it was before"],
    ],
    [
      "drops what is configured",
      { config: object({ name: "a", size: 1 }), planned: object() },
      ["name: must be as in the configuration", "size: must be as in the configuration"],
    ],
    [
      "does not know what is configured",
      { config: object({ size: 1 }), planned: object({ size: Unknown }) },
      ["size: must be as in the configuration"],
    ],
    [
      "knows what is unknown",
      { config: object({ name: Unknown }), planned: object({ name: "a" }) },
      ["name: must be as in the configuration"],
    ],
    [
      "fills what is not computed",
      { config: object(), planned: object({ name: "a" }) },
      ["name: is not computed and must be null as in the configuration"],
    ],
    [
      "keeps what is not configured any more",
      { prior: object({ name: "a" }), config: object(), planned: object({ name: "a" }) },
      ["name: is not computed and must be null as in the configuration"],
    ],
    [
      "keeps what is write-only",
      { config: object({ secret: "s" }), planned: object({ secret: "s" }) },
      ["secret: is write-only and must be null in every answer"],
    ],
    [
      "fills in an object that is not configured",
      { config: object(), planned: object({ one: aLink({}) }) },
      ["one: is not computed and must be null as in the configuration"],
    ],
    [
      "drops objects",
      { config: object({ one: aLink({}), made: [] }), planned: object() },
      ["one: is configured and must not be planned null", "made: is configured and must not be planned null"],
    ],
    [
      "does not know objects",
      { config: object({ one: aLink({}), made: [] }), planned: object({ one: Unknown, made: Unknown }) },
      [
        "one: is configured and must not be planned unknown",
        "made: is configured and must not be planned unknown",
      ],
    ],
    [
      "knows what is in an unknown object",
      { config: object({ one: Unknown }), planned: object({ one: aLink({ faq: Unknown, rank: Unknown }) }) },
      ["one.url: must be as in the configuration"],
    ],
    [
      "has elements where those are unknown",
      { config: object({ list: Unknown }), planned: object({ list: [] }) },
      ["list: must have the elements of the configuration, no more and no fewer"],
    ],
    [
      "has another value of dynamic type",
      {
        config: object({ any: new Dynamic("string", "1") }),
        planned: object({ any: new Dynamic("number", 1) }),
      },
      ["any: must be as in the configuration"],
    ],
  ])("%s", (_, change, broken) => {
    expect(planLines(change)).toEqual(broken);
  });

  it("keeps what is write-only, further in", () => {
    const inner: Attributes = { key: { type: "string", optional: true, writeOnly: true, description } };
    const nested: Attributes = {
      one: { nesting: "single", attributes: inner, optional: true, description },
      list: { nesting: "list", attributes: inner, computed: true, description },
    };
    const config: Value = { one: { key: "k" }, list: null };
    const right: Value = { one: { key: null }, list: [{ key: null }] };
    expect(planViolations({ attributes: nested, prior: null, config, planned: right })).toEqual([]);
    const wrong: Value = { one: { key: "k" }, list: [{ key: "k" }] };
    expect(lines(planViolations({ attributes: nested, prior: null, config, planned: wrong }))).toEqual(
      ["one", "list[0]"].map((at) => `${at}.key: is write-only and must be null in every answer`),
    );
  });
});
