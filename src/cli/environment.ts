import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { defaultSources } from "../manifest/index.js";
import { type Call, isOn, listOption } from "./command.js";
import { UsageError } from "./failure.js";

/*
 * What the environment of a call is, and what it says of what the files of a project may do. Who runs the command sets it,
 * and the files cannot.
 */

/** The call with the variables of its `--env-file`s: the environment's own win, and later files over earlier ones. */
export async function withEnvironmentFiles(call: Call): Promise<Call> {
  const files = listOption(call, "envFile");
  if (files.length === 0) return call;
  const { host } = call;
  const texts = await Promise.all(files.map((file) => textOf(host.resolve(file), file)));
  const read: Record<string, string | undefined> = Object.assign({}, ...texts.map((text) => parseEnv(text)));
  // These files may lie in the project: pinned, they do not say where requests go.
  if (isPinned({ ...call, host: { ...host, environment: { ...read, ...host.environment } } }))
    for (const name of Object.keys(read)) if (directsRequests(name)) delete read[name];
  return { ...call, host: { ...host, environment: { ...read, ...host.environment } } };
}

/** Whether the address and the key come from the command line and the environment, whatever the files say. */
export function isPinned(call: Call): boolean {
  const { AVATAROPS_PIN: pin = "" } = call.host.environment;
  return isOn(call, "pinned") || !["", "0", "false"].includes(pin.trim().toLowerCase());
}

/** What `!env` may read beside the address and the key of the service; undefined: everything. */
export function allowedVariables(call: Call): ReadonlySet<string> | undefined {
  const given = listOption(call, "allowEnv");
  const { AVATAROPS_ALLOW_ENV: set } = call.host.environment;
  const lists = given.length > 0 ? given : set === undefined ? undefined : [set];
  return lists && new Set(lists.flatMap((list) => list.split(/[\s,]+/)).filter((name) => name !== ""));
}

function directsRequests(name: string): boolean {
  return Object.values(defaultSources).some((one) => one.name === name) || /^(https?|no)_proxy$/i.test(name);
}

async function textOf(path: string, named: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new UsageError("env-file", `The file ${named} of --env-file ${why}: correct its path.`);
  }
}
