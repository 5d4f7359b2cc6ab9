import type { NewProviderServer } from "../protocol/rpcs.js";
import type { SchemaBytes } from "../schema/encode-schema.js";
import { newCertificate } from "./certificate.js";
import { handshakeLine, isPlugin, notACommand } from "./handshake.js";
import { listen } from "./listener.js";
import { openLog, writeError } from "./log.js";

/**
 * Serves a provider to Terraform that started this process, until Terraform is done.
 *
 * Terraform waits for the line of the handshake, and does so several times in every command: the line comes first, and
 * what only calls need – gRPC, TLS, the provider itself – is loaded while Terraform connects. Whoever is quicker waits.
 * One process of every command is asked for the schema and nothing else: the provider is loaded when something is asked that
 * was not made beforehand.
 *
 * The life of the process is Terraform's. Ctrl-C, `kill` of a process group and a closed terminal reach us as well as
 * Terraform: it then asks us to stop, waits for what is in flight, and saves what was made. If we ended by ourselves, what is
 * being made now would be in no state. So signals do nothing here, and what ends us is Terraform saying so or being
 * gone; nobody reports the latter, so we look.
 */
export async function servePlugin(input: {
  readonly load: () => Promise<NewProviderServer>;
  readonly process: NodeJS.Process;
  /** What `schemaBytes` made of the provider. */
  readonly schema?: SchemaBytes | undefined;
}): Promise<void> {
  const { schema, process } = input;
  const parent = process.ppid;
  if (!isPlugin(process.env)) {
    process.stderr.write(notACommand, () => process.exit(1));
    return;
  }
  // As PEM, of the one who may call; without it (TF_DISABLE_PLUGIN_TLS) everything is plain.
  const clientCertificate = process.env.PLUGIN_CLIENT_CERT;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
  // Nobody reads any more: nothing is to be reported.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => {});
  const certificate = clientCertificate ? newCertificate(Date.now()) : undefined;
  const door = await listen();
  function panic(error: unknown): void {
    door.close();
    // What begins like this, and the lines below, Terraform shows to its user.
    const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
    writeError(process.stderr, `panic: ${message}\n\n${stack}\n`, () => process.exit(2));
  }
  // Rejections nobody caught come here as well.
  process.on("uncaughtException", panic);
  process.stdout.write(handshakeLine(door, certificate?.der));

  const log = openLog(process.stderr, process.env);
  const grpc = import("./grpc.js").then(({ openGrpc }) =>
    openGrpc({
      ...{ load, schema, log },
      credentials: certificate && { ...certificate, ca: clientCertificate ?? "" },
      shutDown: () => void end(0),
    }),
  );
  door.onConnection(async (socket) => (await grpc).accept(socket));
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
    door.close();
    process.exit(code);
  }
}

/** Whether the process that started this one is still there. An orphan gets another parent, but not on Windows. */
function hasParent({ platform, ppid, kill }: NodeJS.Process, parent: number): boolean {
  if (platform !== "win32") return ppid === parent;
  try {
    return kill(parent, 0);
  } catch {
    return false;
  }
}

const parentWatchMs = 2000;
/** Terraform kills a plugin two seconds after it has asked it to end. */
const graceMs = 1500;
