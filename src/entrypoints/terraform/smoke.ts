import type { Action } from "@avatarops/terraform-plugin";
import { sleep } from "../../base/retry/index.js";
import type { Account } from "./account/open-account.js";
import { requestAttributes, requestSession, warnIfSilent } from "./token-request.js";

/** Checks that a session can be started, at a moment of the user's choice. */
export const smoke: Action<Account> = {
  description:
    "Checks that a session can be started: requests a sandbox session, which uses no credits and ends after about a minute, and looks for it among the active ones. If there is none, the apply fails; what it has changed stays.",
  attributes: {
    ...requestAttributes,
    timeout: {
      type: "number",
      optional: true,
      description: "How long the session may take to be listed as active, in seconds. Default: 10.",
      validate: (value) =>
        Number(value) >= 0 && Number(value) <= 600
          ? []
          : [{ summary: "timeout is not from 0 to 600", detail: "It is in seconds." }],
    },
    require_listed: {
      type: "bool",
      optional: true,
      description: "Whether it is an error, and not a warning, if the session is not listed in time.",
    },
  },
  validate: ({ config, diagnostics }) => warnIfSilent(config, diagnostics),
  async invoke(call) {
    const { client, config, diagnostics, progress, signal } = call;
    progress("Requesting a sandbox session.");
    const minted = await requestSession(call, config);
    if (!minted || !client.open) return;
    const { sessionId } = minted;
    if (sessionId === undefined) {
      const detail = "It cannot be looked for among the active sessions.";
      diagnostics.warning("The answer has a token, but no id of the session", detail);
      return;
    }
    progress(`Looking for session ${sessionId} among the active ones.`);
    const { checkSession } = await import("../../sessions/reports/index.js");
    const { status, problem } = await checkSession(client.open.reader, sessionId, {
      patienceMs: Number(config.timeout ?? 10) * 1000,
      requireListed: config.require_listed === true,
      sleep,
      signal,
    });
    if (!problem) return progress(`Session ${sessionId} is active.`);
    // The same settings have other names on the command line.
    const detail = problem.message
      .replace("--timeout", "timeout")
      .replace("with --require-listed", "with require_listed");
    if (status === "warned") diagnostics.warning("The sandbox session was not seen active", detail);
    else diagnostics.error("The smoke check failed", detail);
  },
};
