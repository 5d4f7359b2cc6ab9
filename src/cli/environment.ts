import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { defaultSources } from "../manifest/index.js";
import { type Call, isOn, listOption } from "./command.js";
import { UsageError } from "./failure.js";

/*
 * The environment of a call, and what it allows the files of a project to do. It is set by whoever runs the
 * command; the files cannot change it.
 */

/**
 * Adds the variables of each `--env-file` to the call: existing variables win, and later files win over
 * earlier ones.
 */
export async function withEnvironmentFiles(call: Call): Promise<Call> {
  const files = listOption(call, "envFile");
  if (files.length === 0) return call;
  // The file may be part of the change, and it would decide where requests go.
  if (isOn(call, "untrusted"))
    throw new UsageError("usage", "--env-file cannot be used with --untrusted: set the variables instead.");
  const { host } = call;
  const texts = await Promise.all(files.map((file) => textOf(host.resolve(file), file)));
  const read: Record<string, string | undefined> = Object.assign({}, ...texts.map((text) => parseEnv(text)));
  // These files may be part of the project; when pinned, they do not decide where requests go.
  if (isPinned({ ...call, host: { ...host, environment: { ...read, ...host.environment } } }))
    for (const name of Object.keys(read)) if (directsRequests(name)) delete read[name];
  return { ...call, host: { ...host, environment: { ...read, ...host.environment } } };
}

/** Whether only the command line and the environment decide the address and the key. */
export function isPinned(call: Call): boolean {
  const { AVATAROPS_PIN: pin = "" } = call.host.environment;
  return isOn(call, "pinned") || !["", "0", "false"].includes(pin.trim().toLowerCase());
}

/** The variables that `!env` may read besides those of the address and the key; undefined: all. */
export function allowedVariables(call: Call): ReadonlySet<string> | undefined {
  const given = listOption(call, "allowEnv");
  const { AVATAROPS_ALLOW_ENV: set } = call.host.environment;
  const lists = given.length > 0 ? given : set === undefined ? undefined : [set];
  return lists && new Set(lists.flatMap((list) => list.split(/[\s,]+/)).filter((name) => name !== ""));
}

function directsRequests(name: string): boolean {
  return (
    Object.values(defaultSources).some((source) => source.name === name) || /^(https?|no)_proxy$/i.test(name)
  );
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
