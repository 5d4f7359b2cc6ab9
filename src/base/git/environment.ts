/** A setting; one that has several values stands several times. */
export type GitSetting = readonly [key: string, value: string];

/**
 * What git must not get from the environment of the user: another repository or index than that of the folder
 * (a hook of git, from which avatarops may be run, sets them), programs that ask, and traces, which may write
 * credentials to stderr.
 */
const dropped =
  /^(?:GIT_(?:DIR|WORK_TREE|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|QUARANTINE_PATH|CEILING_DIRECTORIES|EXTERNAL_DIFF|DIFF_OPTS|PAGER|EDITOR|SEQUENCE_EDITOR|REFLOG_ACTION|REPLACE_REF_BASE|SHALLOW_FILE|ATTR_SOURCE|TRACE\w*|\w+_PATHSPECS|CURL_VERBOSE)|SSH_ASKPASS|LANGUAGE)$/;

/**
 * Credentials of the account, of sources of secrets and of states elsewhere, which no remote needs: git starts programs
 * (ssh, credential helpers). Those of clouds and code hosts stay, since helpers of theirs use them.
 */
const ours = /^(?:(?:AVATAROPS|VAULT|BAO|DOPPLER|OP|SOPS|TF_HTTP)_|PG[A-Z]+$)/;

const fixed = {
  // So that messages can be understood.
  LC_ALL: "C",
  // No questions: of git, of Git Credential Manager, of ssh. (Without a terminal of its own, ssh cannot ask there.)
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  // `status` would otherwise write the user's index.
  GIT_OPTIONAL_LOCKS: "0",
  // Paths are paths, never patterns.
  GIT_LITERAL_PATHSPECS: "1",
  // An object is what its id says, whatever refs/replace holds.
  GIT_NO_REPLACE_OBJECTS: "1",
} as const;

/**
 * What can be reached: not `ext::`, which runs any command, nor other helpers. Users who need one (`codecommit`)
 * set the variable of git themselves.
 */
const protocols = "file:git:http:https:ssh";

/** The environment of git: the user's, with its credentials, without what would run or ask something. */
export function gitEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  config: readonly GitSetting[],
): Record<string, string | undefined> {
  const kept = Object.entries(environment).filter(([name]) => !dropped.test(name) && !ours.test(name));
  const its = Object.fromEntries(kept);
  return { GIT_ALLOW_PROTOCOL: protocols, ...its, ...fixed, ...configVariables(its, config) };
}

/** Settings in the environment, where no list of processes shows them, after those that are there already. */
function configVariables(
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
 * Settings that win over all files: nothing of the user's repository runs, and nothing beside what was asked
 * happens. What CI and users set to get at their remotes stays: extra headers, credential helpers,
 * core.sshCommand, url.*.insteadOf, proxies, certificates.
 */
export const settings: readonly string[] = Object.entries({
  // See repository.ts.
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
  // A connection that stands still for a minute is given up.
  "http.lowSpeedLimit": "1",
  "http.lowSpeedTime": "60",
}).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
