import type { Diagnostic } from "../protocol/messages.js";
import type { MessageInput } from "../protocol/protobuf.js";
import type { RpcName, RpcRequest, RpcResponse } from "../protocol/rpcs.js";
import type { Call } from "../provider.js";
import { createDiagnosticList, type DiagnosticList, encodeDiagnostic } from "./diagnostic-list.js";
import { cancelledDiagnostic, isCancellation, toErrorDiagnostic } from "./error-diagnostic.js";
import type { Session } from "./session.js";

/** Call in progress. Its diagnostics go into the response. */
export interface RpcCall extends Call {
  readonly diagnostics: DiagnosticList;
  /** Reports a thrown value without ending the call. */
  report(error: unknown): void;
}

/** Handles a call and returns the response fields, except the diagnostics. `send` sends earlier responses. */
export type Handler<Name extends RpcName> = (
  session: Session,
  request: RpcRequest<Name>,
  call: RpcCall,
  send: (response: RpcResponse<Name>) => void,
) => Promise<RpcResponse<Name>> | RpcResponse<Name>;

/**
 * Responds to a call with its handler's result and diagnostics. A thrown value becomes a diagnostic. Logs one line,
 * without values.
 */
export async function respond<Name extends RpcName>(
  session: Session,
  name: Name,
  request: RpcRequest<Name>,
  handle: Handler<Name>,
  send: (response: RpcResponse<Name>) => void = () => {},
): Promise<RpcResponse<Name> & { readonly diagnostics: MessageInput<typeof Diagnostic>[] }> {
  const { log, signal, provider } = session;
  const diagnostics = createDiagnosticList();
  const { typeName } = request as { typeName?: string };
  const what = typeName === undefined ? name : `${name} of ${typeName}`;
  let handled: RpcResponse<Name> | undefined;
  try {
    handled = await handle(session, request, { diagnostics, signal, log, report }, send);
  } catch (error) {
    report(error);
  }
  const { all } = diagnostics;
  const errors = all.filter(({ severity }) => severity === "error").length;
  log("debug", what, { errors, warnings: all.length - errors });
  return { ...(handled as RpcResponse<Name>), diagnostics: all.map(encodeDiagnostic) };

  function report(error: unknown): void {
    diagnostics.add(
      isCancellation(error, signal) ? cancelledDiagnostic : toErrorDiagnostic(error, what, provider),
    );
  }
}
