import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { UsageError } from "../../base/diagnostics/index.js";
import { isPinned } from "../../operations/index.js";
import type { Call } from "./command.js";

/*
 * The environment of a call, and what it allows the files of a project to do. It is set by whoever runs the
 * command; the files cannot change it.
 */

/**
 * Adds the variables of each `--env-file` to the call: existing variables win, and later files win over
 * earlier ones.
 */
export async function withEnvironmentFiles<Called extends Call>(call: Called): Promise<Called> {
  const { envFile: files = [], untrusted } = call.options;
  if (files.length === 0) return call;
  // The file may be part of the change, and it would decide where requests go.
  if (untrusted)
    throw new UsageError("usage", "--env-file cannot be used with --untrusted: set the variables instead.");
  const { host } = call;
  const texts = await Promise.all(files.map((file) => readVariables(host.resolve(file), file)));
  const read: Record<string, string | undefined> = Object.assign(
    {},
    ...texts.map((text) => parseEnv(quoteHashes(text))),
  );
  // These files may be part of the project; when pinned, they do not decide where requests go.
  if (isPinned({ ...call, host: { ...host, environment: { ...read, ...host.environment } } }))
    for (const name of Object.keys(read)) if (directsRequests(name)) delete read[name];
  const fromFiles = new Set(Object.keys(read).filter((name) => host.environment[name] === undefined));
  return { ...call, host: { ...host, fromFiles, environment: { ...read, ...host.environment } } };
}

/** A name, and its value: in quotes, over several lines if need be, or up to the end of the line. */
const assignment =
  /^([^\S\r\n]*(?:export[^\S\r\n]+)?[\w.-]+[^\S\r\n]*=)([^\S\r\n]*)(?:"[^"]*"|'[^']*'|`[^`]*`|([^\r\n]*))/gm;

/**
 * Puts values without quotes that contain `#` in quotes. A comment begins after white space, as in Docker and most other
 * readers of such files; Node's also cuts `sk-ab#cd`.
 */
function quoteHashes(text: string): string {
  return text.replace(assignment, (whole, name: string, space: string, given: string | undefined) => {
    if (!given?.includes("#") || (space !== "" && given.startsWith("#"))) return whole;
    const value = given.replace(/\s#.*$/, "").trimEnd();
    const quote = ["'", "`", '"'].find((one) => !value.includes(one));
    return quote === undefined ? whole : `${name}${quote}${value}${quote}`;
  });
}

/** Variables of this program, and of programs and libraries that it uses, which decide what goes where. */
function directsRequests(name: string): boolean {
  // That a file pins is no attack.
  if (name === "AVATAROPS_PIN") return false;
  return (
    /^(https?|no|all)_proxy$/i.test(name) ||
    /^(AVATAROPS|VAULT|BAO|DOPPLER|OP|AWS|AZURE|GOOGLE|CLOUDSDK|SOPS|TF|ACTIONS|GIT|NODE|SSL|LD|DYLD|XDG)_/.test(
      name,
    ) ||
    /^(PG[A-Z]+|HOME|PATH)$/.test(name)
  );
}

async function readVariables(path: string, named: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new UsageError("env-file", `The file ${named} of --env-file ${why}: correct its path.`);
  }
}
