import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canary, type Fields, failureOf, runOn } from "./run.js";
import type { VaultServer } from "./vault-server.js";

/** Which certificates of the real Vault and of the stand-in are trusted. */
export function describeTls(start: (options: { tls: true }) => Promise<VaultServer>): void {
  describe("over TLS", () => {
    let secure: VaultServer;
    let folder = "";
    beforeAll(async () => {
      secure = await start({ tls: true });
      folder = await mkdtemp(path.join(tmpdir(), "avatarops-vault-ca-"));
      await writeFile(path.join(folder, "ca.pem"), secure.certificate ?? "");
      await writeFile(path.join(folder, "other.pem"), otherCa);
      await writeFile(path.join(folder, "none.pem"), canary());
    });
    afterAll(async () => {
      await secure.close();
      await rm(folder, { recursive: true });
    });
    const read = (variables: Readonly<Record<string, string>>, fields: Fields = {}) =>
      runOn(secure, { VAULT_TOKEN: secure.rootToken, ...variables }, folder).read({
        path: "cubbyhole/llm",
        field: "api_key",
        ...fields,
      });
    const said = (failed: string) =>
      failed
        .replace(secure.url, "ADDRESS")
        .replace(folder, "")
        .replace(/\([A-Z_]+\)/, "(CODE)");
    const untrusted =
      "failed: The Vault secret cubbyhole/llm, field api_key cannot be read: the certificate of ADDRESS was issued by a CA that is not trusted here (CODE). Name a file with the CA's certificate in VAULT_CACERT, or in the field `ca_cert_file`.";

    test("its CA is trusted if it is named", async () => {
      const answered = "the secrets engine at this path is not KV";
      expect(await failureOf(read({ VAULT_CACERT: path.join(folder, "ca.pem") }))).toContain(answered);
      expect(await failureOf(read({}, { caCertFile: "ca.pem" }))).toContain(answered);
    });

    test.each([
      ["no CA", {}, untrusted],
      ["another CA", { caCertFile: "other.pem" }, untrusted],
      [
        "no certificate",
        { caCertFile: "none.pem" },
        "unreadable: The Vault secret cubbyhole/llm, field api_key cannot be read: /none.pem is not a file of certificates in PEM. Correct VAULT_CACERT, or the field `ca_cert_file`.",
      ],
    ])("it is not trusted with %s", async (_, fields, expected) => {
      expect(said(await failureOf(read({}, fields)))).toBe(expected);
    });

    test("a plain address is told", async () => {
      const plain = { VAULT_ADDR: secure.url.replace("https", "http") };
      expect(await failureOf(read(plain))).toMatch(/^(malformed|unreachable): /);
    });
  });
}

/** A certificate of a CA that has signed nothing here. */
const otherCa = `-----BEGIN CERTIFICATE-----
MIIBfDCCASOgAwIBAgIUTFKAm7pzT3Jfy8yWT42MtbSAW1kwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIT3RoZXIgQ0EwIBcNMjYxMTIyMDI0MDE5WhgPMjEyNjEwMjkw
MjQwMTlaMBMxETAPBgNVBAMMCE90aGVyIENBMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEltJNAXnn3mYVG0OdFV6pT1wA4C3P6GzzP/Oq2CYl/E/bgvBuljYPUV+p
N3OhwjYr68Gg2fnxTDeEirqxSNfnqKNTMFEwHQYDVR0OBBYEFLlOKZxWqhkD6xeL
pJVPnQdkbx1LMB8GA1UdIwQYMBaAFLlOKZxWqhkD6xeLpJVPnQdkbx1LMA8GA1Ud
EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgPqXMSCtfZfIuJeVGgH81VvEq
zvmo/W6sxyGRc0vim+4CIDewQiudmMGBzjorsjZdtZ+CewQgfMGOnfbFh5bzcr1K
-----END CERTIFICATE-----`;
