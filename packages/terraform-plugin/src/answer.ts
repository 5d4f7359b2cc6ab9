import type { BrokenRule } from "./broken-rule.js";
import { type OpenReport, openReport, sentDiagnostic } from "./diagnostics.js";
import type { Call } from "./provider.js";
import type { RpcName, RpcResponse } from "./rpc.js";
import type { Session } from "./session.js";
import { isStop, stopped, toldOf, toldOfRule } from "./trouble.js";

/** A call in the making: what it reports goes into its answer. */
export interface OpenCall extends Call {
  readonly report: OpenReport;
  /** Whether an answer breaks rules of the core; then that is reported, as the bug it is. */
  breaks(rules: readonly BrokenRule[]): boolean;
}

/**
 * Answers a call with what `work` gives and reports. Whatever is thrown on the way becomes a diagnostic. In the log there
 * is one line, without any value.
 */
export async function answer<Name extends RpcName>(
  session: Session<unknown>,
  name: Name,
  type: string,
  work: (call: OpenCall) => Promise<RpcResponse<Name>> | RpcResponse<Name>,
): Promise<RpcResponse<Name>> {
  const { log, signal, provider } = session;
  const report = openReport();
  const what = type === "" ? name : `${name} of ${type}`;
  let worked: RpcResponse<Name> | undefined;
  try {
    worked = await work({ report, signal, log, breaks });
  } catch (error) {
    report.add(isStop(error, signal) ? stopped : toldOf(error, what, provider));
  }
  const { diagnostics } = report;
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  log("debug", what, { errors, warnings: diagnostics.length - errors });
  return { ...worked, diagnostics: diagnostics.map(sentDiagnostic) } as RpcResponse<Name>;

  function breaks(rules: readonly BrokenRule[]): boolean {
    for (const rule of rules) report.add(toldOfRule(rule, what));
    return rules.length > 0;
  }
}
