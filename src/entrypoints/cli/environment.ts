import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { UsageError } from "../../base/diagnostics/index.js";
import { listNames } from "../../base/text/index.js";
import { hostTokenVariables, isHostCredential, isPinned } from "../../operations/index.js";
import type { Call } from "./command.js";

/* Environment variables of a call. Only the user can set them, so they limit what project files can do. */

/**
 * Variables that a `--dotenv` file can set for the process. Other variables reach only `!env`, because the file may be
 * in the repository and must not control git or libraries.
 */
export const environmentFileNames = {
  avatarops: [
    ...[
      "AVATAROPS_BASE_URL",
      "AVATAROPS_API_KEY",
      "AVATAROPS_PIN",
      "AVATAROPS_ALLOW_HOSTS",
      "AVATAROPS_ALLOW_ENV",
    ],
    ...["AVATAROPS_STATE", "AVATAROPS_READ_ONLY", "AVATAROPS_REVIEW_KEY", "AVATAROPS_SESSION_DURATION_UNIT"],
    ...["AVATAROPS_GIT_TOKEN", "AVATAROPS_GIT_USERNAME", "NO_COLOR", "FORCE_COLOR"],
  ],
  sources: [
    ...["VAULT_ADDR", "VAULT_NAMESPACE", "VAULT_TOKEN", "VAULT_CACERT", "VAULT_ROLE_ID", "VAULT_SECRET_ID"],
    ...["VAULT_ID_TOKEN", "VAULT_AUTH_METHOD", "VAULT_AUTH_PATH", "VAULT_AUTH_ROLE", "VAULT_AUTH_AUDIENCE"],
    ...[
      "VAULT_AUTH_JWT_FILE",
      "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_SESSION_TOKEN",
      "AWS_PROFILE",
    ],
    ...["AWS_REGION", "AWS_DEFAULT_REGION"],
  ],
  stores: [
    ...["TF_HTTP_ADDRESS", "TF_HTTP_USERNAME", "TF_HTTP_PASSWORD", "TF_HTTP_UPDATE_METHOD"],
    ...["TF_HTTP_LOCK_ADDRESS", "TF_HTTP_LOCK_METHOD", "TF_HTTP_UNLOCK_ADDRESS", "TF_HTTP_UNLOCK_METHOD"],
    ...["TF_HTTP_RETRY_MAX", "TF_HTTP_RETRY_WAIT_MIN", "TF_HTTP_RETRY_WAIT_MAX"],
    ...["PGHOST", "PGUSER", "PGPASSWORD", "PGSSLMODE", "PGSSLROOTCERT", "PGSSLCERT", "PGSSLKEY"],
  ],
  hosts: hostTokenVariables,
} as const;

const environmentNames: ReadonlySet<string> = new Set(Object.values(environmentFileNames).flat());
/** Variables that only restrict the run. A file can set them even if credentials are pinned. */
const restrictions: ReadonlySet<string> = new Set(["AVATAROPS_PIN", "AVATAROPS_READ_ONLY"]);

/**
 * Adds variables from each `--dotenv` file to a call. Existing variables take precedence over files, and later files
 * over earlier ones.
 */
export async function withEnvironmentFiles<Called extends Call>(call: Called): Promise<Called> {
  const { dotenv: files = [], untrusted } = call.options;
  if (files.length === 0) return call;
  // The file may be part of the change, and could redirect requests.
  if (untrusted)
    throw new UsageError(
      "usage",
      "--dotenv cannot be used with --untrusted. Set the variables in the environment instead.",
    );
  const { host, output } = call;
  const texts = await Promise.all(files.map((file) => readVariables(host.resolve(file), file)));
  for (const [at, text] of texts.entries()) assertQuotesClosed(text, String(files[at]));
  const read: Record<string, string | undefined> = Object.assign(
    {},
    ...texts.map((text) => parseEnv(quoteHashes(text))),
  );
  const given = Object.entries(read).filter(([name]) => host.environment[name] === undefined);
  const pinned = isPinned({ ...call, host: { ...host, environment: { ...read, ...host.environment } } });
  const isKept = (name: string) => (pinned ? restrictions : environmentNames).has(name);
  // If the environment pins credentials, the file cannot set the credentials that avatarops uses to log in.
  const isNamed = (name: string) => !pinned || !(name.startsWith("AVATAROPS_") || isHostCredential(name));
  const unused = given.map(([name]) => name).filter((name) => !isKept(name) && isKnown(name));
  if (unused.length > 0)
    output.info(
      `A --dotenv file can set ${listNames(unused)} only for !env. Set ${unused.length === 1 ? "it" : "them"} in the environment instead.`,
    );
  const kept = Object.fromEntries(given.filter(([name]) => isKept(name)));
  const fileVariables = Object.fromEntries(given.filter(([name]) => isNamed(name)));
  return { ...call, host: { ...host, fileVariables, environment: { ...kept, ...host.environment } } };
}

/** A variable assignment. Its value is quoted (possibly over several lines) or ends with the line. */
const assignment =
  /^([^\S\r\n\u2028\u2029]*(?:export[^\S\r\n]+)?[\w.-]+[^\S\r\n]*=)([^\S\r\n]*)(?:"[^"]*"|'[^']*'|`[^`]*`|([^\r\n]*))/gm;

/**
 * Quotes values that contain `#`. Most readers require white space before a comment, but Node's parser also cuts
 * `sk-ab#cd`.
 */
function quoteHashes(text: string): string {
  return text.replace(assignment, (whole, name: string, space: string, given: string | undefined) => {
    if (!given?.includes("#") || (space !== "" && given.startsWith("#"))) return whole;
    const value = given.replace(/\s#.*/s, "").trimEnd();
    const quote = ["'", "`", '"'].find((one) => !value.includes(one));
    return quote === undefined ? whole : `${name}${quote}${value}${quote}`;
  });
}

/**
 * Rejects an unclosed quote, a quote that is closed only by the opening quote of a later line, and text after the closing
 * quote, which Node's parser drops. Never shows the value.
 */
function assertQuotesClosed(text: string, file: string): void {
  for (const { 0: whole, 1: start = "", 3: given, index } of text.matchAll(assignment)) {
    const [rest = ""] = /^[^\r\n]*/.exec(text.slice(index + whole.length)) ?? [];
    const isUnquoted = given !== undefined;
    if (isUnquoted ? !/^["'`]/.test(given) : /^\s*(#|$)/.test(rest)) continue;
    const name = start.slice(0, -1).trim().split(/\s/).at(-1);
    const where = `on line ${text.slice(0, index).split("\n").length}`;
    throw new UsageError(
      "dotenv",
      isUnquoted || whole.includes("\n")
        ? `The --dotenv file ${file} has an unclosed quote ${where} (${name}). Close the quote at the end of the value, or use the other type of quotes.`
        : `The --dotenv file ${file} has text after the closing quote ${where} (${name}). A value ends at the next quote of the same type, even after a backslash. Enclose it in quotes that it does not contain, such as single quotes around double quotes.`,
    );
  }
}

/** Returns whether avatarops, git or a library reads this variable. */
function isKnown(name: string): boolean {
  return (
    environmentNames.has(name) ||
    /^(https?|no|all)_proxy$/i.test(name) ||
    /^(AVATAROPS|GITHUB|GH|GITLAB|GITEA|FORGEJO|CI|GIT|NODE|SSL|ACTIONS|TF|AWS|AZURE|GOOGLE|VAULT)_/.test(
      name,
    )
  );
}

async function readVariables(path: string, named: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${code})`;
    throw new UsageError("dotenv", `The --dotenv file ${named} ${why}. Correct its path.`);
  }
}
