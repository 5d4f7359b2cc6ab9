import fc from "fast-check";
import { expect, test } from "vitest";
import { EmulatorInputError, parseFault } from "../../src/emulator/index.js";

/* faults.txt and faults.test.ts cover valid lines. */

test.each([
  ["", '"" is incomplete'],
  ["POST /v1/contexts", "is incomplete"],
  [
    "/v1/contexts POST 503",
    "method must be GET, POST, PATCH or *; path must be a path such as /v1/contexts/*",
  ],
  ["POST contexts 503", "path must be a path such as /v1/contexts/*"],
  ["* /v1/contexts* 503", "path must be a path such as /v1/contexts/*"],
  ["* * explode", 'unknown action "explode"'],
  ["* * 5000", 'unknown action "5000"'],
  ["* * 503-before", 'unknown action "503-before"'],
  ["* * cut-after", 'unknown action "cut-after"'],
  ["* * delay-after ms=5", 'unknown action "delay-after"'],
  ["* * drop", 'unknown action "drop"'],
  ["* * drop-later", 'unknown action "drop-later"'],
  ["* * 999", "status must be an integer from 200 to 599"],
  ["* * delay", "ms is missing"],
  ["* * malformed", "body is missing"],
  ["* * 503 times=0", "times must be an integer of at least 1"],
  ["* * 503 skip=-1", "skip must be an integer of at least 0"],
  ["* * 503 often", 'the setting "often", but 503 accepts only times=, skip=, retry-after=, body='],
  ["* * 503 color=red", 'the setting "color", but 503 accepts only times=,'],
  ["* * 404-after ms=5", 'the setting "ms", but 404-after accepts only times=,'],
  ["* * drop-after body=x", 'the setting "body", but drop-after accepts only times=, skip=.'],
])("rejects the emulator fault %j", (line, message) => {
  expect(() => parseFault(line)).toThrow(EmulatorInputError);
  expect(() => parseFault(line)).toThrow(message);
  expect(() => parseFault(line)).toThrow(
    'Write METHOD PATH ACTION, such as "POST /v1/contexts drop-after times=2". Actions: 503, 503-after (or another status), drop-before, drop-after, cut, malformed, delay, hang, hang-after.',
  );
});

test("parses or rejects random fault lines without crashing", () => {
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
