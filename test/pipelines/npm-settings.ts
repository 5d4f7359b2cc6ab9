import { execFileSync } from "node:child_process";

/** npm settings for jobs, with this machine's registry and cache. */
export const npmSettings = {
  npm_config_cache: readNpmSetting("cache"),
  npm_config_userconfig: readNpmSetting("userconfig"),
  npm_config_prefer_offline: "true",
  ...(process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS } : {}),
};

function readNpmSetting(name: string): string {
  return execFileSync("npm", ["config", "get", name], { encoding: "utf8", stdio: "pipe" }).trim();
}
