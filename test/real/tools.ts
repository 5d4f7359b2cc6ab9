/** Defines programs that `npm run test:real` builds or installs. */
import path from "node:path";
import { defineGoTool } from "../../scripts/go-tools.js";
import { defineTools } from "../../scripts/tools.js";
import { isLong } from "./long.js";

/** nektos/act. Runs workflows like GitHub's runner. */
export const actTool = defineGoTool("act", "act, half a minute");

/** Checks documents against Rego policies. */
export const conftestTool = defineGoTool("conftest", "Conftest, 4 minutes on one processor");

/** Code host for tests with real pull requests, comments, statuses and git over HTTP. */
export const giteaTool = defineGoTool("gitea", "Gitea, 7 minutes on one processor", [
  "-tags=sqlite sqlite_unlock_notify",
  // API clients query the version.
  "-ldflags=-X main.Version=1.26.0",
]);

/** Checks Kubernetes manifests. */
export const kubeconformTool = defineGoTool("kubeconform", "kubeconform");

/** Version of google-auth-library that needs a later Node than the development dependencies. */
export const laterGoogleAuthTools = defineTools("google-auth-library", "google-auth-library 11");

/** Decrypts SOPS files. */
export const sopsTool = defineGoTool("sops", "SOPS, 2 minutes on one processor");

/** HashiCorp Vault without plugins that have large dependencies, such as its Kubernetes login. */
export const vaultTool = defineGoTool("vault", "Vault, 8 minutes on one processor", ["-tags=minimal"]);

/** Real S3 server that stores objects in a folder. */
export const versitygwTool = defineGoTool("versitygw", "versitygw, 2 minutes on one processor");

/** Promptfoo without packages for optional models. */
export const promptfooTools = defineTools("promptfoo", "promptfoo, 280 MB");

export const promptfoo = path.join(promptfooTools.folder, "node_modules/.bin/promptfoo");

/** Whether promptfoo's lock file, which pins the binaries of one platform, supports this machine. */
export const canInstallPromptfoo = `${process.platform} ${process.arch}` === "linux x64";

/** Whether tests can run promptfoo. They need a long run, a supported Node version and the installed packages. */
export function hasPromptfoo(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const canStart = major > 22 || (major === 22 && minor >= 22);
  return isLong && canStart && promptfooTools.has();
}
