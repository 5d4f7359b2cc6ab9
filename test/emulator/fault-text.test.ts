import fc from "fast-check";
import { expect, test } from "vitest";
import { EmulatorInputError, parseFault } from "../../src/emulator/index.js";

/* faults.txt and faults.test.ts cover valid lines. */

test.each([
  ["", '"" is incomplete. Write METHOD PATH ACTION, such as POST /v1/contexts drop-after'],
  ["POST /v1/contexts", "is incomplete"],
  ["/v1/contexts POST 503", "match.method: must be GET, POST, PATCH or *"],
  ["POST contexts 503", "match.path: must be a path such as /v1/contexts/*"],
  ["* /v1/contexts* 503", "match.path: must be a path such as /v1/contexts/*"],
  ["* * explode", "do.kind: must be one of: status, drop"],
  ["* * 5000", "do.kind: must be one of: status, drop"],
  ["* * cut-after", "do.when: is unknown; use one of kind, bytes"],
  ["* * delay-after ms=5", "do.when: is unknown; use one of kind, ms"],
  ["* * drop", "do.when: is missing"],
  ["* * drop-later", "do.kind: must be one of: status, drop"],
  ["* * 999", "do.status: must be an integer from 200 to 599"],
  ["* * delay", "do.ms: is missing"],
  ["* * malformed", "do.body: is missing"],
  ["* * 503 times=0", "times: must be an integer of at least 1"],
  ["* * 503 skip=-1", "skip: must be an integer of at least 0"],
  ["* * 503 often", "do.often: is unknown"],
  ["* * 503 color=red", "do.color: is unknown"],
  ["* * 503 ms=5", "do.ms: is unknown; use one of kind, status"],
])("rejects the emulator fault %j", (line, message) => {
  expect(() => parseFault(line)).toThrow(EmulatorInputError);
  expect(() => parseFault(line)).toThrow(message);
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
