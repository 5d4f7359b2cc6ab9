/** Logins of apps, of the jobs of Gitea and Forgejo, and of GitLab's access tokens for projects and groups. */
const botLogin = /\[bot\]$|^(?:gitea|forgejo)-actions$|^(?:project|group)_\d+_bot/i;

/** Returns whether a login is known to belong to a bot. */
export function isBotLogin(login: string): boolean {
  return botLogin.test(login);
}
