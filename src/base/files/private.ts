/*
 * Files whose names suggest that they contain keys. A prompt becomes visible in plans, in comments on pull requests,
 * and to visitors who talk to the avatar, so `prompt: !file .git/config` would publish the checkout's token. A secret
 * value may come from such a file, because it is never shown.
 */

/** Lower-case names of files and folders, anywhere in a path. */
const privateNames = new Set([
  ...[".git", ".git-credentials", ".avatarops"],
  // Credentials of package managers, clouds and other tools.
  ...[".npmrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd", ".boto"],
  ...[".s3cfg", ".dockercfg", ".docker", ".kube", ".kubeconfig", ".aws", ".azure", ".gcloud", ".config"],
  ...[".secrets", ".vault-token", ".terraform", ".terraformrc", ".gnupg", ".ssh"],
  ...["credentials", ...["json", "yaml", "yml", "toml", "csv"].map((ending) => `credentials.${ending}`)],
]);
const privateBeginnings = [".env", "id_", "kubeconfig", "gha-creds-", "client_secret"];
const privateEndings = [
  ...[".pem", ".key", ".p12", ".pfx", ".ppk", ".jks", ".keystore", ".kdbx"],
  ...[".tfstate", ".tfstate.backup", ".tfvars", ".tfvars.json"],
];

/** Whether any part of a path relative to the project folder suggests that the file contains keys. */
export function isPrivate(file: string): boolean {
  return file.split("/").some((written) => {
    // Some file systems ignore case, and Windows ignores dots and blanks at the end.
    const name = written.toLowerCase().replace(/(?<![. ])[. ]+$/, "");
    return (
      privateNames.has(name) ||
      privateBeginnings.some((beginning) => name.startsWith(beginning)) ||
      privateEndings.some((ending) => name.endsWith(ending))
    );
  });
}
