/**
 * Decrypts the SOPS files of these tests as SOPS does, with its exit codes: AES-GCM, and the code (MAC) over all values. It knows
 * their data keys, which real SOPS takes from them with the age key; that one is held to the same tests in `npm run test:real`.
 */
import { createDecipheriv, createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parse } from "yaml";

/** Of production.yaml and rotated.yaml, production.json, production.env, and llm.key. */
const dataKeys = [
  "wirHKjnkUATsafdecb0uIIHaMbhU8Ky34ltuwVwkMRw=",
  "HHfcADEmznZ+5CFoI7yJNSm9g0VLWrx9Wq1ZRgx6wro=",
  "Yzd4/bV4LWcGgv5gUmhgHA+/OA35uk7IPwdoYnfy7eI=",
  "LOFs88Ok9zOoaizVBVpD4uvvd0KwdpnWl2s79V0M+g0=",
];
const [, identity] = readFileSync(new URL("./age-key.txt", import.meta.url), "utf8").split("\n");

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
  const key = dataKeyOf(sops);
  const digest = createHash("sha512");
  const plain = decryptAll(tree, [], key, digest);
  const mac = decryptValue(sops.mac, sops.lastmodified, key, exits.changed);
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
  return { ...tree, sops: { mac: all.sops_mac, lastmodified: all.sops_lastmodified } };
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

/** The key of the values, which the fixtures encrypt for one recipient alone. */
function dataKeyOf({ mac, lastmodified }) {
  const { SOPS_AGE_KEY = "", SOPS_AGE_KEY_FILE = "" } = process.env;
  if (SOPS_AGE_KEY_FILE && !existsSync(SOPS_AGE_KEY_FILE)) throw new Failure(exits.noKey);
  const identities = `${SOPS_AGE_KEY}\n${SOPS_AGE_KEY_FILE ? readFileSync(SOPS_AGE_KEY_FILE, "utf8") : ""}`;
  if (!identities.split("\n").includes(identity)) throw new Failure(exits.noKey);
  const opens = (key) => {
    try {
      return decryptValue(mac, lastmodified, key, exits.changed);
    } catch {
      return undefined;
    }
  };
  const key = dataKeys.map((text) => Buffer.from(text, "base64")).find(opens);
  if (!key) throw new Failure(exits.changed);
  return key;
}

try {
  main();
} catch (error) {
  console.error(String(error));
  process.exitCode = error instanceof Failure ? error.exit : exits.other;
}
