/**
 * Decrypts SOPS files for tests as SOPS does, with its exit codes: age keys (X25519), AES-GCM, and the code (MAC) over
 * all values. It reads files of real SOPS; real SOPS is held to the same tests in `npm run test:real`. Written from the
 * documentation of SOPS and the age specification (C2SP).
 */
import {
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
} from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "yaml";

const exits = { noFile: 100, noKey: 128, changedValue: 25, changed: 51, other: 1 };

class Failure extends Error {
  constructor(exit) {
    // As SOPS does, it prints more than its caller may show.
    super(`kanarie-49-stderr-vogel ${exit}`);
    this.exit = exit;
  }
}

function main() {
  const { values, positionals } = parseArgs({
    options: { "input-type": { type: "string" }, "output-type": { type: "string" } },
    allowPositionals: true,
  });
  const [command, file = ""] = positionals;
  if (command !== "decrypt" || !existsSync(file)) throw new Failure(exits.noFile);
  const format = values["input-type"];
  const { sops, ...tree } = treeIn(readFileSync(file, "utf8"), format);
  if (!sops) throw new Failure(exits.other);
  const key = dataKeyOf(sops.age);
  const digest = createHash("sha512");
  const plain = decryptAll(tree, [], key, digest);
  const mac = sops.mac && decryptValue(sops.mac, sops.lastmodified, key, exits.changed);
  if (mac !== digest.digest("hex").toUpperCase()) throw new Failure(exits.changed);
  const output = values["output-type"] === "binary" ? plain.data : `${JSON.stringify(plain, null, "\t")}\n`;
  process.stdout.write(output);
}

function treeIn(text, format) {
  try {
    if (format !== "dotenv") return format === "yaml" ? parse(text) : JSON.parse(text);
  } catch {
    throw new Failure(exits.other);
  }
  const lines = text.split("\n").filter((line) => line.includes("="));
  const all = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s)));
  const tree = Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("sops_")));
  const age = { enc: (all.sops_age__list_0__map_enc ?? "").replaceAll("\\n", "\n") };
  return { ...tree, sops: { age: [age], mac: all.sops_mac, lastmodified: all.sops_lastmodified } };
}

/** What is in a list has the path of the list. */
function decryptAll(node, path, key, digest) {
  if (Array.isArray(node)) return node.map((one) => decryptAll(one, path, key, digest));
  if (typeof node === "object" && node !== null) {
    return Object.fromEntries(
      Object.entries(node).map(([name, value]) => [name, decryptAll(value, [...path, name], key, digest)]),
    );
  }
  const isEncrypted = typeof node === "string" && node.startsWith("ENC[");
  const text = isEncrypted ? decryptValue(node, `${path.join(":")}:`, key, exits.changedValue) : String(node);
  digest.update(text);
  return isEncrypted && node.endsWith("type:int]") ? Number(text) : text;
}

function decryptValue(text, about, key, exit) {
  try {
    const part = (name) => Buffer.from(new RegExp(`[,[]${name}:([^,\\]]*)`).exec(text)[1], "base64");
    const decipher = createDecipheriv("aes-256-gcm", key, part("iv"));
    decipher.setAAD(Buffer.from(about)).setAuthTag(part("tag"));
    return Buffer.concat([decipher.update(part("data")), decipher.final()]).toString();
  } catch {
    throw new Failure(exit);
  }
}

/** The key of the values, which is encrypted for each recipient. */
function dataKeyOf(recipients) {
  for (const identity of identities()) {
    for (const { enc } of recipients) {
      const key = openAge(enc, identity);
      if (key) return key;
    }
  }
  throw new Failure(exits.noKey);
}

function identities() {
  const { SOPS_AGE_KEY = "", SOPS_AGE_KEY_FILE = "" } = process.env;
  if (SOPS_AGE_KEY_FILE && !existsSync(SOPS_AGE_KEY_FILE)) throw new Failure(exits.noKey);
  const text = `${SOPS_AGE_KEY}\n${SOPS_AGE_KEY_FILE ? readFileSync(SOPS_AGE_KEY_FILE, "utf8") : ""}`;
  return (text.match(/^AGE-SECRET-KEY-1[0-9A-Z]+$/gm) ?? []).map((line) => {
    const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b656e04220420", "hex"), bech32Bytes(line)]);
    return createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  });
}

function bech32Bytes(line) {
  const digits = line.slice("AGE-SECRET-KEY-1".length, -6).toLowerCase();
  const bits = Array.from(digits, (digit) =>
    "qpzry9x8gf2tvdw0s3jn54khce6mua7l".indexOf(digit).toString(2).padStart(5, "0"),
  ).join("");
  return Buffer.from(
    Array.from({ length: 32 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2)),
  );
}

function openAge(armored, identity) {
  const file = Buffer.from(armored.replace(/-----[A-Z ]+-----/g, ""), "base64");
  const end = file.indexOf("\n", file.indexOf("\n---") + 1);
  const [, share = "", body = ""] = /-> X25519 (\S+)\n(\S+)\n/.exec(file.subarray(0, end).toString()) ?? [];
  const raw = Buffer.from(share, "base64");
  const publicKey = createPublicKey({
    key: Buffer.concat([Buffer.from("302a300506032b656e032100", "hex"), raw]),
    format: "der",
    type: "spki",
  });
  const mine = Buffer.from(createPublicKey(identity).export({ format: "jwk" }).x, "base64url");
  const shared = diffieHellman({ privateKey: identity, publicKey });
  const wrapping = hkdf(shared, Buffer.concat([raw, mine]), "age-encryption.org/v1/X25519");
  const fileKey = openChaCha(wrapping, Buffer.alloc(12), Buffer.from(body, "base64"));
  if (!fileKey) return undefined;
  const payload = file.subarray(end + 1);
  // One chunk, which is the last.
  const nonce = Buffer.from([...Buffer.alloc(11), 1]);
  return openChaCha(hkdf(fileKey, payload.subarray(0, 16), "payload"), nonce, payload.subarray(16));
}

function hkdf(secret, salt, info) {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, 32));
}

/** Undefined if the key does not fit. */
function openChaCha(key, nonce, sealed) {
  const decipher = createDecipheriv("chacha20-poly1305", key, nonce, { authTagLength: 16 });
  decipher.setAuthTag(sealed.subarray(-16));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  } catch {
    return undefined;
  }
}

try {
  main();
} catch (error) {
  console.error(String(error));
  process.exitCode = error instanceof Failure ? error.exit : exits.other;
}
