/** A git setting. A key with several values is repeated. */
export type GitSetting = readonly [key: string, value: string];

/**
 * Variables that git must not inherit. They select another repository or index (as in a git hook), prompt, or trace
 * credentials to stderr.
 */
const dropped =
  /^(?:GIT_(?:DIR|WORK_TREE|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|QUARANTINE_PATH|CEILING_DIRECTORIES|EXTERNAL_DIFF|DIFF_OPTS|PAGER|EDITOR|SEQUENCE_EDITOR|REFLOG_ACTION|REPLACE_REF_BASE|SHALLOW_FILE|ATTR_SOURCE|TRACE\w*|\w+_PATHSPECS|CURL_VERBOSE)|SSH_ASKPASS|LANGUAGE)$/;

/**
 * Credentials of the account, secret sources and stores. Remotes do not need them, and programs that git starts must
 * not inherit them. Cloud and code host credentials stay, because credential helpers use them.
 */
const ownVariables = /^(?:(?:AVATAROPS|VAULT|BAO|DOPPLER|OP|SOPS|TF_HTTP)_|PG[A-Z]+$)/;

const fixed = {
  // The C locale, because messages are parsed (see git-error.ts).
  LC_ALL: "C",
  // Disables prompts from git, Git Credential Manager and ssh.
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  // Keeps `status` from writing the user's index.
  GIT_OPTIONAL_LOCKS: "0",
  // Paths are literal, not patterns.
  GIT_LITERAL_PATHSPECS: "1",
  // Ignores refs/replace, so that an object always matches its id.
  GIT_NO_REPLACE_OBJECTS: "1",
} as const;

/**
 * Allowed protocols. `ext::` and other helpers can run commands. Users who need another protocol, such as `codecommit`,
 * can set GIT_ALLOW_PROTOCOL.
 */
const protocols = "file:git:http:https:ssh";

/**
 * Builds git's environment from the user's. Keeps credentials for remotes, and drops variables that run programs or
 * prompt.
 */
export function buildGitEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  config: readonly GitSetting[],
): Record<string, string | undefined> {
  const kept = Object.entries(environment).filter(
    ([name]) => !dropped.test(name) && !ownVariables.test(name),
  );
  const inherited = Object.fromEntries(kept);
  return { GIT_ALLOW_PROTOCOL: protocols, ...inherited, ...fixed, ...toConfigVariables(inherited, config) };
}

/**
 * Adds settings after the settings in the environment. Unlike arguments, environment variables do not appear in a
 * process list.
 */
export function toConfigVariables(
  environment: Readonly<Record<string, string | undefined>>,
  config: readonly GitSetting[],
): Record<string, string> {
  if (config.length === 0) return {};
  const first = Number.parseInt(environment.GIT_CONFIG_COUNT ?? "0", 10) || 0;
  const pairs = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(first + config.length), ...Object.fromEntries(pairs) };
}

/**
 * Settings that override all files, so that nothing from the user's repository runs and git does no extra work.
 * Settings needed to reach remotes stay, such as extra headers, credential helpers, url.*.insteadOf, proxies and
 * certificates.
 */
export const settings: readonly string[] = Object.entries({
  // Ignores bare repositories inside the folder (see repository.ts).
  "safe.bareRepository": "explicit",
  "core.hooksPath": "/dev/null",
  "core.fsmonitor": "false",
  "commit.gpgSign": "false",
  "tag.gpgSign": "false",
  "push.gpgSign": "false",
  "log.showSignature": "false",
  "gc.auto": "0",
  "maintenance.auto": "false",
  "fetch.writeCommitGraph": "false",
  "fetch.prune": "false",
  "fetch.pruneTags": "false",
  "fetch.recurseSubmodules": "false",
  "push.recurseSubmodules": "no",
  "push.followTags": "false",
  "submodule.recurse": "false",
  "color.ui": "false",
  "core.quotePath": "false",
  "i18n.commitEncoding": "UTF-8",
  "i18n.logOutputEncoding": "UTF-8",
  // Aborts a connection that is idle for a minute.
  "http.lowSpeedLimit": "1",
  "http.lowSpeedTime": "60",
}).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
