import { expect, test } from "vitest";
import { createCertificate } from "../../src/server/certificate.js";
import { formatHandshake } from "../../src/server/handshake.js";

/* Whom a certificate is for, and when: serve.test.ts, and the real terraform. */

const now = Date.UTC(2026, 10, 21, 10, 30);

test("every certificate goes into the handshake whole, and without padding, whatever its length", () => {
  const lengths = Array.from({ length: 100 }, () => {
    const { der } = createCertificate(now);
    const line = formatHandshake({ network: "unix", address: "/tmp/s" }, der);
    expect(line).toMatch(/^1\|6\|unix\|\/tmp\/s\|grpc\|[A-Za-z0-9+/]+\n$/);
    expect(Buffer.from(line.trim().split("|")[5] ?? "", "base64").equals(der)).toBe(true);
    return der.length % 3;
  });
  // Signatures differ in length, so that this was about something.
  expect(new Set(lengths).size).toBeGreaterThan(1);
});
