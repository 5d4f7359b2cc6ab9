/** Programs that `npm run test:real` builds or installs for its tests. */
import path from "node:path";
import { defineGoTool } from "../../scripts/go-tools.js";
import { defineTools } from "../../scripts/tools.js";
import { isLong } from "./long.js";

/** nektos/act, which runs workflows as GitHub's runner does. */
export const actTool = defineGoTool("act", "act, half a minute");

/** Checks documents against Rego policies. */
export const conftestTool = defineGoTool("conftest", "Conftest, 4 minutes on one processor");

/** A code host for tests with real pull requests, comments, statuses and git over HTTP. */
export const giteaTool = defineGoTool("gitea", "Gitea, 7 minutes on one processor", [
  "-tags=sqlite sqlite_unlock_notify",
  // Clients request the version.
  "-ldflags=-X main.Version=1.26.0",
]);

/** Checks Kubernetes manifests. */
export const kubeconformTool = defineGoTool("kubeconform", "kubeconform");

/** A google-auth-library that needs a later Node than the development dependencies. */
export const laterGoogleAuthTools = defineTools("google-auth-library", "google-auth-library 11");

/** Decrypts SOPS files. */
export const sopsTool = defineGoTool("sops", "SOPS, 2 minutes on one processor");

/** HashiCorp Vault without plugins that have large dependencies, such as its Kubernetes login. */
export const vaultTool = defineGoTool("vault", "Vault, 8 minutes on one processor", ["-tags=minimal"]);

/** A real S3 server on a folder. */
export const versitygwTool = defineGoTool("versitygw", "versitygw, 2 minutes on one processor");

/** Promptfoo without packages that only some of its models need. */
export const promptfooTools = defineTools("promptfoo", "promptfoo, 280 MB");

export const promptfoo = path.join(promptfooTools.folder, "node_modules/.bin/promptfoo");

/** Whether its lock file contains the binaries for this machine. It pins those of one platform. */
export const canInstallPromptfoo = `${process.platform} ${process.arch}` === "linux x64";

/** Whether tests may run it: installed, on a suitable Node, in a long run. */
export function hasPromptfoo(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const canStart = major > 22 || (major === 22 && minor >= 22);
  return isLong && canStart && promptfooTools.has();
}
