import { expect, test } from "vitest";
import { hashMachineId } from "../../src/core/state/index.js";

test("hashes a machine id as `systemd-id128 machine-id --app-specific` does", () => {
  expect(hashMachineId("0123456789abcdef0123456789abcdef\n")).toBe("e093211dbe2c47d39d6d21c64c46fc38");
});

test.each(["", "\n", "uninitialized\n", "0".repeat(32), "not a machine id"])(
  "ignores an invalid machine id, such as one from a container image or a first boot: %j",
  (text) => {
    expect(hashMachineId(text)).toBeUndefined();
  },
);
