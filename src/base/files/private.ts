/*
 * Recognizes files that contain keys, by their names or contents. A prompt becomes visible in plans, in pull request
 * comments and to visitors who talk to the avatar, so `prompt: !file .git/config` would publish the checkout's token. A
 * secret value may come from such a file, because it is never shown.
 */

/** Lower-case names that mark a file as private if they occur anywhere in its path. */
const privateNames = new Set([
  ...[".git", ".git-credentials", ".avatarops"],
  // Credentials of package managers, clouds and other tools.
  ...[".npmrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd", ".boto"],
  ...[".s3cfg", ".dockercfg", ".docker", ".kube", ".kubeconfig", ".aws", ".azure", ".gcloud", ".config"],
  ...[".secrets", ".vault-token", ".terraform", ".terraformrc", ".gnupg", ".ssh"],
  ...["credentials", ...["json", "yaml", "yml", "toml", "csv"].map((ending) => `credentials.${ending}`)],
]);
const privateBeginnings = [".env"];
/** Prefixes that both login files and ordinary files use, such as `id_verification.md`. */
const sharedBeginnings = ["id_", "kubeconfig", "gha-creds-", "client_secret"];
const privateEndings = [
  ...[".pem", ".key", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx"],
  ...[".tfstate", ".tfstate.backup", ".tfvars", ".tfvars.json"],
];

/**
 * Returns whether a file's path, relative to the project folder, indicates that it contains keys. Ignores its content.
 */
export function isPrivate(file: string): boolean {
  return listNames(file).some(
    (name) =>
      privateNames.has(name) ||
      privateBeginnings.some((beginning) => name.startsWith(beginning)) ||
      privateEndings.some((ending) => name.endsWith(ending)) ||
      // Tools write login files without an extension or as JSON. Prompts have other extensions.
      (hasSharedBeginning(name) && /^[^.]*$|\.json$/.test(name)),
  );
}

/** Returns whether a file's path marks it as private, or has a prefix that login files share with ordinary files. */
export function isPossiblyPrivate(file: string): boolean {
  return isPrivate(file) || listNames(file).some(hasSharedBeginning);
}

const privateKey = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[ \t]*\r?\n|^PuTTY-User-Key-File-\d/;
const loginData =
  /\beyJ[\w-]{10}|\b[A-Za-z0-9]{32}|\/\/[^\s/@:]*:[^\s/@]+@|^[ \t-]{0,40}["']?(?:[a-z_-]{0,40}(?:secret|token|password|key-data)|private_key)["']?\s*[:=]/im;

/** Returns whether text contains a private key, or other login data if the file is named like a login file. */
export function containsKeys(file: string, text: string): boolean {
  return privateKey.test(text) || (isPossiblyPrivate(file) && loginData.test(text));
}

function hasSharedBeginning(name: string): boolean {
  return sharedBeginnings.some((beginning) => name.startsWith(beginning));
}

/** Splits a path into lower-case names. Some file systems ignore case, and Windows ignores trailing dots and spaces. */
function listNames(file: string): string[] {
  return file.split("/").map((written) => written.toLowerCase().replace(/(?<![. ])[. ]+$/, ""));
}
