import fc from "fast-check";
import { expect, test } from "vitest";
import { EmulatorInputError, parseFault } from "../../src/emulator/index.js";

/* What is read from a line shows in faults.txt and faults.test.ts. */

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
