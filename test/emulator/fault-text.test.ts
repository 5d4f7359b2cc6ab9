import fc from "fast-check";
import { expect, test } from "vitest";
import { EmulatorInputError, type Fault, parseFault } from "../../src/emulator/index.js";

const anything = { match: {} };

test.each<[string, Fault]>([
  ["* * drop-before", { ...anything, do: { kind: "drop", when: "before" } }],
  [
    "POST /v1/contexts drop-after times=1",
    { match: { method: "POST", path: "/v1/contexts" }, times: 1, do: { kind: "drop", when: "after" } },
  ],
  [
    "GET /v1/contexts/* 404 skip=2",
    { match: { method: "GET", path: "/v1/contexts/*" }, skip: 2, do: { kind: "status", status: 404 } },
  ],
  ["* * 503-after", { ...anything, do: { kind: "status", status: 503, after: true } }],
  [
    '* * 429 retry-after=1 times=always body="slow \\"down\\""',
    {
      ...anything,
      times: Number.POSITIVE_INFINITY,
      do: { kind: "status", status: 429, headers: { "retry-after": "1" }, body: 'slow "down"' },
    },
  ],
  ["* * cut bytes=0", { ...anything, do: { kind: "cut", bytes: 0 } }],
  ["* * malformed body=<html>", { ...anything, do: { kind: "malformed", body: "<html>" } }],
  ["* * delay ms=20", { ...anything, do: { kind: "delay", ms: 20 } }],
  ["* /v1/contexts?page=2 hang", { match: { path: "/v1/contexts?page=2" }, do: { kind: "hang" } }],
  ["* * hang-after", { ...anything, do: { kind: "hang", when: "after" } }],
])("parseFault reads %s", (line, fault) => {
  expect(parseFault(line)).toEqual(fault);
});

test.each([
  ["", '"" is incomplete; write METHOD PATH ACTION, such as POST /v1/contexts drop-after'],
  ["POST /v1/contexts", "is incomplete"],
  ["/v1/contexts POST 503", '"/v1/contexts" is not a method; write GET, POST, PATCH or *'],
  ["POST contexts 503", "match.path: must be a path such as /v1/contexts/*"],
  ["* /v1/contexts* 503", "match.path: must be a path such as /v1/contexts/*"],
  ["* * explode", '"explode" is not an action; use a status such as 503'],
  ["* * 5000", '"5000" is not an action'],
  ["* * cut-after", '"cut-after" is not an action'],
  ["* * delay-after ms=5", '"delay-after" is not an action'],
  ["* * drop", "drop needs a moment; write drop-before or drop-after"],
  ["* * drop-later", '"drop-later" is not an action'],
  ["* * 999", "do.status: must be an integer from 200 to 599"],
  ["* * delay", "do.ms: is missing"],
  ["* * malformed", "do.body: is missing"],
  ["* * 503 times=0", "times: must be an integer of at least 1"],
  ["* * 503 skip=-1", "skip: must be an integer of at least 0"],
  ["* * 503 often", '"often" is not a setting; use one of skip=, times='],
  ["* * 503 color=red", '"color=red" is not a setting'],
  ["* * 503 skip=1 skip=2", '"skip=" is given twice'],
  ["* * 503 ms=5", '"ms=" has no meaning for 503'],
  ['* * malformed body="open', "a double quote is not closed"],
])("parseFault refuses %j", (line, message) => {
  expect(() => parseFault(line)).toThrow(EmulatorInputError);
  expect(() => parseFault(line)).toThrow(message);
});

test("whatever the line, parseFault reads it or says what is wrong with it", () => {
  const word = fc.oneof(
    fc.constantFrom(
      "*",
      "GET",
      "/v1/contexts",
      "/v1/*",
      "503",
      "cut",
      "delay",
      "times=always",
      "ms=1",
      '"',
      "\\",
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (words) => {
      try {
        expect(parseFault(words.join(" "))).toHaveProperty("do.kind");
      } catch (error) {
        expect(error).toBeInstanceOf(EmulatorInputError);
      }
    }),
  );
});
