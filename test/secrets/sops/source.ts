import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { canary, type StartedSource, written } from "../sources/compliance.js";
import { fixtures, installSops, starts } from "./suite.js";

/** The data key of production.json. */
const dataKey = Buffer.from("HHfcADEmznZ+5CFoI7yJNSm9g0VLWrx9Wq1ZRgx6wro=", "base64");
const file = "secrets.json";

/** Files encrypted with the data key of a fixture, for the suite of all sources; `command` runs SOPS in a shell. */
export async function startSops(command: string): Promise<StartedSource> {
  const folder = await mkdtemp(path.join(tmpdir(), "avatarops-sops-source-"));
  const install = (what: string) => installSops(folder, what);
  await install(`exec ${command} "$@"`);
  const environment: Record<string, string> = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    SOPS_AGE_KEY_FILE: path.join(fixtures, "age-key.txt"),
  };
  const useKey = (name: string) => {
    environment.SOPS_AGE_KEY_FILE = path.join(fixtures, name);
  };
  const values: Record<string, string> = {};
  return {
    environment,
    written: (name, timeoutSeconds) => written("sops", { path: file, field: `llm.${name}`, timeoutSeconds }),
    async put(name, value, project) {
      values[name] = value;
      await project.write(file, await encrypted(values));
    },
    reads: () => starts(folder),
    versions: {
      asked: () => 0,
      refuseValues: () => useKey("other-age-key.txt"),
      allowValues: () => useKey("age-key.txt"),
      unseen: ["html", "cut", "huge"],
    },
    failures: {
      unauthorized: () => useKey("other-age-key.txt"),
      missing: async (_, project) => project.write(file, await encrypted({ other: canary })),
      html: () => install(`echo '<html>${canary}</html>'`),
      cut: () => install(`echo '{"llm": {"one": "${canary.slice(0, 8)}'`),
      huge: () => install(`printf '%s' '${canary}'; head -c 10000000 /dev/zero`),
      slow: () => install(`printf '%s' '${canary}'; exec sleep 1000`),
      empty: async (name, project) => project.write(file, await encrypted({ [name]: " " })),
    },
    stop: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The text of a file with these values, as SOPS writes it. */
async function encrypted(values: Readonly<Record<string, string>>): Promise<string> {
  const { sops } = JSON.parse(await readFile(path.join(fixtures, "production.json"), "utf8"));
  const llm = Object.entries(values).map(([name, value]) => [name, seal(value, `llm:${name}:`)]);
  const digest = createHash("sha512");
  for (const value of Object.values(values)) digest.update(value);
  const mac = seal(digest.digest("hex").toUpperCase(), sops.lastmodified);
  return `${JSON.stringify({ llm: Object.fromEntries(llm), sops: { ...sops, mac } }, null, 2)}\n`;
}

function seal(text: string, about: string): string {
  const iv = randomBytes(32);
  const cipher = createCipheriv("aes-256-gcm", dataKey, iv).setAAD(Buffer.from(about));
  const data = Buffer.concat([cipher.update(text), cipher.final()]);
  const parts = { data, iv, tag: cipher.getAuthTag() };
  const shown = Object.entries(parts).map(([name, bytes]) => `${name}:${bytes.toString("base64")}`);
  return `ENC[AES256_GCM,${shown.join(",")},type:str]`;
}
