import { spawn } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createCertificate } from "../../packages/terraform-plugin/src/server/certificate.js";
import { version } from "../../src/base/version/index.js";
import { alternate, type Benchmark, compareMedians, printTable } from "./support/benchmark.js";

const launcher = fileURLToPath(
  new URL(`../../dist/terraform/package/terraform-provider-avatarops_v${version}`, import.meta.url),
);
const rounds = 21;

export const providerStart: Benchmark = {
  name: "terraform-start",
  measures: "time until the provider prints its address",
  async run() {
    // Sets the variables that terraform sets. Removes NODE_EXTRA_CA_CERTS, because few hosts set it and loading
    // its certificates takes a third of the start-up time on Node 20.
    const { NODE_EXTRA_CA_CERTS: _, ...surroundings } = process.env;
    const environment = {
      ...surroundings,
      TF_PLUGIN_MAGIC_COOKIE: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
      PLUGIN_PROTOCOL_VERSIONS: "6",
      PLUGIN_CLIENT_CERT: createCertificate(Date.now()).cert,
    };
    const times = await alternate(rounds, {
      "node -e 0, the whole process": () =>
        measureTimeUntil("close", process.execPath, ["-e", "0"], environment),
      "launcher, to the handshake": () => measureTimeUntil("line", launcher, [], environment),
    });
    const title = `Start of the provider, medians of ${rounds} alternating runs`;
    printTable(title, ["what", "ms", "× node -e 0"], compareMedians(times));
  },
};

/** Returns the time until a process prints a line or exits. */
async function measureTimeUntil(
  what: "close" | "line",
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const started = performance.now();
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  const closed = once(child, "close");
  const firstLine = once(createInterface(child.stdout), "line");
  await (what === "line" ? firstLine : closed);
  const tookMs = performance.now() - started;
  child.kill("SIGKILL");
  await closed;
  return tookMs;
}
