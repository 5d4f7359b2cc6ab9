import { createPrivateKey, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { newCertificate } from "../../src/server/certificate.js";
import { handshakeLine } from "../../src/server/handshake.js";

const now = Date.UTC(2026, 10, 21, 10, 30);

test("a certificate is for localhost, by itself, and valid from now", () => {
  const { der, cert, key } = newCertificate(now);
  const read = new X509Certificate(der);
  expect(read.toString()).toContain("BEGIN CERTIFICATE");
  expect(new X509Certificate(cert).fingerprint256).toBe(read.fingerprint256);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.checkHost("localhost", { subject: "never" })).toBe("localhost");
  expect(read.subjectAltName).toBe("DNS:localhost");
  expect(read.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(new Date(read.validFrom)).toEqual(new Date("2026-11-21T09:30:00Z"));
  expect(new Date(read.validTo)).toEqual(new Date("2027-11-21T10:30:00Z"));
});

test("every certificate goes into the handshake whole, and without padding, whatever its length", () => {
  const lengths = Array.from({ length: 100 }, () => {
    const { der } = newCertificate(now);
    const line = handshakeLine({ network: "unix", address: "/tmp/s" }, der);
    expect(line).toMatch(/^1\|6\|unix\|\/tmp\/s\|grpc\|[A-Za-z0-9+/]+\n$/);
    expect(Buffer.from(line.trim().split("|")[5] ?? "", "base64").equals(der)).toBe(true);
    return der.length % 3;
  });
  // Signatures differ in length, so that this was about something.
  expect(new Set(lengths).size).toBeGreaterThan(1);
});
