import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/*
 * Creates a new certificate for each plugin process, encoded as DER (tag, length and bytes for each value). Terraform
 * only requires a self-signed, currently valid X.509 version 3 certificate with the alternative name "localhost".
 *
 * Uses only node:crypto, which takes about a millisecond. Libraries take 30 to 150 ms to load, and `openssl` is not
 * always installed. P-256 is the fastest curve that both sides support.
 */

export interface Certificate {
  readonly der: Buffer;
  /** Certificate as PEM. `key` is its private key, also as PEM. */
  readonly cert: string;
  readonly key: string;
}

/**
 * Creates a self-signed certificate for localhost. It is valid for a year, starting an hour before `nowMs` in case the
 * clock is adjusted.
 */
export function createCertificate(nowMs: number): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = encodeSequence(encodeSet(encodeSequence(encodeObjectId(commonName), encodeUtf8("localhost"))));
  const facts = encodeSequence(
    encodeExplicit(0, encodeInteger(Buffer.of(2))),
    encodeInteger(createSerialNumber()),
    encodeSequence(encodeObjectId(ecdsaWithSha256)),
    name,
    encodeSequence(encodeTime(nowMs - hourMs), encodeTime(nowMs + yearMs)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    encodeExplicit(
      3,
      encodeSequence(
        encodeSequence(
          encodeObjectId(subjectAltName),
          encodeOctetString(encodeSequence(encodeDnsName("localhost"))),
        ),
      ),
    ),
  );
  const der = encodeSequence(
    facts,
    encodeSequence(encodeObjectId(ecdsaWithSha256)),
    encodeBitString(sign("sha256", facts, privateKey)),
  );
  return { der, cert: toPem(der), key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

/** Object identifiers 1.2.840.10045.4.3.2, 2.5.4.3 and 2.5.29.17, encoded. */
const ecdsaWithSha256 = "2a8648ce3d040302";
const commonName = "550403";
const subjectAltName = "551d11";

const encodeSequence = (...parts: Buffer[]): Buffer => encodeTagged(0x30, ...parts);
const encodeSet = (...parts: Buffer[]): Buffer => encodeTagged(0x31, ...parts);
const encodeExplicit = (number: number, part: Buffer): Buffer => encodeTagged(0xa0 + number, part);
const encodeInteger = (bytes: Buffer): Buffer => encodeTagged(0x02, bytes);
const encodeBitString = (bytes: Buffer): Buffer => encodeTagged(0x03, Buffer.of(0), bytes);
const encodeOctetString = (bytes: Buffer): Buffer => encodeTagged(0x04, bytes);
const encodeObjectId = (hex: string): Buffer => encodeTagged(0x06, Buffer.from(hex, "hex"));
const encodeUtf8 = (text: string): Buffer => encodeTagged(0x0c, Buffer.from(text));
const encodeDnsName = (name: string): Buffer => encodeTagged(0x82, Buffer.from(name));

/** Encodes a time with a two-digit year, as RFC 5280 requires until 2049. */
function encodeTime(ms: number): Buffer {
  return encodeTagged(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14)}Z`));
}

/** Returns a positive number without a leading zero byte, because DER forbids one. */
function createSerialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function encodeTagged(tag: number, ...parts: Buffer[]): Buffer {
  const { length } = Buffer.concat(parts);
  const long = length < 0x100 ? Buffer.of(0x81, length) : Buffer.of(0x82, length >> 8, length & 0xff);
  return Buffer.concat([Buffer.of(tag), length < 0x80 ? Buffer.of(length) : long, ...parts]);
}

function toPem(der: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;
}
