/*
 * Files that by their names hold keys. What is read as a prompt or included is shown: in plans, in comments on pull
 * requests, to who talks with the avatar. `prompt: !file .git/config` would publish the token of the checkout. The value of
 * a secret may come from such a file, since it is never shown.
 */

/** Names of files and folders, in lower case, wherever they stand in a path. */
const privateNames = new Set([
  ...[".git", ".git-credentials", ".avatarops"],
  // What package managers, clouds and other tools log in with, or keep.
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

/** Whether a file, given relative to the project folder, holds keys by its name or that of a folder it is in. */
export function isPrivate(file: string): boolean {
  return file.split("/").some((written) => {
    // Some file systems take no notice of case, and Windows none of dots and blanks at the end.
    const name = written.toLowerCase().replace(/(?<![. ])[. ]+$/, "");
    return (
      privateNames.has(name) ||
      privateBeginnings.some((beginning) => name.startsWith(beginning)) ||
      privateEndings.some((ending) => name.endsWith(ending))
    );
  });
}
