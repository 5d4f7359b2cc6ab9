import { expect, test } from "vitest";
import { createCertificate } from "../../src/server/certificate.js";
import { formatHandshake } from "../../src/server/handshake.js";

/* serve.test.ts and test/terraform cover who receives the certificate and how long it is valid. */

const now = Date.UTC(2026, 10, 21, 10, 30);

test("encodes the complete TLS certificate in the plugin handshake as unpadded base64", () => {
  const lengths = Array.from({ length: 100 }, () => {
    const { der } = createCertificate(now);
    const line = formatHandshake({ network: "unix", address: "/tmp/s" }, der);
    expect(line).toMatch(/^1\|6\|unix\|\/tmp\/s\|grpc\|[A-Za-z0-9+/]+\n$/);
    expect(Buffer.from(line.trim().split("|")[5] ?? "", "base64").equals(der)).toBe(true);
    return der.length % 3;
  });
  // The DER length varies with the signature, so a hundred certificates cover more than one length of base64 padding.
  expect(new Set(lengths).size).toBeGreaterThan(1);
});
