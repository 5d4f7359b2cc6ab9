import type { NewProviderServer } from "../protocol/rpcs.js";
import type { SchemaBytes } from "../schema/encode-schema.js";
import { createCertificate } from "./certificate.js";
import { directExecutionMessage, formatHandshake, isPlugin } from "./handshake.js";
import { listen } from "./listener.js";
import { openLog, writeError } from "./log.js";

/**
 * Serves a provider to the Terraform process that started this process, until Terraform has finished. Prints the
 * handshake line first, loads modules while Terraform connects, and loads the provider at the first call without a
 * prepared response.
 *
 * Ignores signals, because Ctrl-C also reaches Terraform, which waits for calls in progress and saves their results.
 * Ends only at Terraform's request or after Terraform has exited.
 */
export async function servePlugin(input: {
  readonly load: () => Promise<NewProviderServer>;
  readonly process: NodeJS.Process;
  /** Result of `encodeSchemas` for the provider. */
  readonly schema?: SchemaBytes | undefined;
}): Promise<void> {
  const { schema, process } = input;
  const parent = process.ppid;
  if (!isPlugin(process.env)) {
    process.stderr.write(directExecutionMessage, () => process.exit(1));
    return;
  }
  // Caller's certificate as PEM. If it is missing (TF_DISABLE_PLUGIN_TLS), nothing is encrypted.
  const clientCertificate = process.env.PLUGIN_CLIENT_CERT;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  // Errors cannot be reported after Terraform has closed the output.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  const certificate = clientCertificate ? createCertificate(Date.now()) : undefined;
  const listener = await listen();
  function panic(error: unknown): void {
    listener.close();
    // Terraform recognizes the prefix `panic: ` and shows this line and those after it to the user.
    const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
    writeError(process.stderr, `panic: ${message}\n\n${stack}\n`, () => process.exit(2));
  }
  // Also called for unhandled rejections.
  process.on("uncaughtException", panic);
  process.stdout.write(formatHandshake(listener, certificate?.der));

  const log = openLog(process.stderr, process.env);
  const grpc = import("./grpc.js").then(({ openGrpc }) =>
    openGrpc({
      ...{ load, schema, log },
      credentials: certificate && { ...certificate, ca: clientCertificate ?? "" },
      shutDown: () => void end(0),
    }),
  );
  listener.onConnection(async (socket) => (await grpc).accept(socket));
  function load(): Promise<NewProviderServer> {
    const loaded = input.load();
    loaded.catch(panic);
    return loaded;
  }
  setInterval(() => hasParent(process, parent) || void end(1), parentWatchMs).unref();

  let isEnding = false;
  async function end(code: number): Promise<void> {
    if (isEnding) return;
    isEnding = true;
    await (await grpc).close(graceMs);
    listener.close();
    process.exit(code);
  }
}

/** Returns whether the parent process still exists. An orphan gets another parent, except on Windows. */
function hasParent({ platform, ppid, kill }: NodeJS.Process, parent: number): boolean {
  if (platform !== "win32") return ppid === parent;
  try {
    return kill(parent, 0);
  } catch {
    return false;
  }
}

const parentWatchMs = 2000;
/** Grace period for calls in progress. Terraform kills a plugin two seconds after asking it to stop. */
const graceMs = 1500;
