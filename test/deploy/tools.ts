import { spawnSync } from "node:child_process";
import { goToolIn } from "../../scripts/go-tools.js";
import { prometheus } from "../../scripts/test-servers.js";
import { type Ended, execute, type Surroundings } from "../installing.js";

/** Checks manifests of Kubernetes. */
export const kubeconformTool = goToolIn("kubeconform", "kubeconform");

/** Whether tests may use it: it is built, and the run is one of `npm run test:real`. */
export function hasKubeconform(): boolean {
  return process.env.AVATAROPS_TEST_REAL === "1" && kubeconformTool.has();
}

/** Puts manifests together. */
export const hasKubectl = answers("kubectl", "version", "--client");

/** Checks units of systemd. */
export const hasSystemd = answers("systemd-analyze", "--version");

/** Checks rules of Prometheus, and runs their tests. */
export const hasPromtool = prometheus.has();

/** Runs promtool to its end. */
export function promtool(args: readonly string[], given: Surroundings): Promise<Ended> {
  return execute(prometheus.program("promtool") ?? "promtool", args, given);
}

function answers(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}
