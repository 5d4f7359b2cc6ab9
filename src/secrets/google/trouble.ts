import { HttpError } from "../../http/index.js";
import { MissingPackageError } from "../../optional-packages/index.js";
import { SourceError } from "../source-error.js";
import type { SourceContext } from "../source-kind.js";
import { GoogleAnswerError } from "./client.js";

/** Whether the identity has no right to what it asked for. */
export function isDenied(thrown: unknown): boolean {
  const answer = causeIn(thrown, GoogleAnswerError);
  return answer !== undefined && !answer.isLogin && answer.status === 403;
}

/** What an error of the client library means. Its message is not used, because it may contain the answer. */
export function googleTrouble(thrown: unknown, { error, signal }: SourceContext): unknown {
  if (thrown instanceof SourceError || thrown instanceof MissingPackageError) return thrown;
  if (signal.aborted) return signal.reason;
  const connection = causeIn(thrown, HttpError);
  if (connection?.code === "too-long")
    return error("too-long", "cannot be read: the answer is longer than any of Google Secret Manager.");
  if (connection)
    return error(
      "unreachable",
      "cannot be read: Google gives no answer. Check the network, the proxy and the endpoint.",
    );
  const answer = causeIn(thrown, GoogleAnswerError);
  if (answer) return answer.isLogin ? loginTrouble(answer.status, error) : answerTrouble(answer, error);
  // The library exchanges tokens by itself, past our client.
  const status = Number((thrown as { readonly status?: unknown }).status ?? 0);
  if (status > 0) return loginTrouble(status, error);
  if (hasSystemCode(thrown))
    return error(
      "unreachable",
      "cannot be read: Google's login gives no answer. Check the network and the proxy.",
    );
  // The library says so by its message only.
  if (thrown instanceof Error && thrown.message.startsWith("Could not load the default credentials")) {
    return error(
      "refused",
      "cannot be read: there is no login for Google Cloud. In CI, use workload identity federation (GOOGLE_APPLICATION_CREDENTIALS names its file); elsewhere run `gcloud auth application-default login`.",
    );
  }
  return error(
    "malformed",
    "cannot be read: what answers is not Google Secret Manager, or the file that GOOGLE_APPLICATION_CREDENTIALS names is not one of credentials.",
  );
}

function hasSystemCode(thrown: unknown): boolean {
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === "string" && /^E[A-Z_]+$/.test(code);
}

function loginTrouble(status: number, error: SourceContext["error"]): Error {
  if (status === 429 || status >= 500)
    return error("unreachable", `cannot be read: Google's login answers with status ${status}.`);
  return error(
    "refused",
    `cannot be read: Google refuses the login (status ${status}). Check the workload identity pool and its provider, and that the service account lets it in; or log in again.`,
  );
}

function answerTrouble({ status, reason }: GoogleAnswerError, error: SourceContext["error"]): Error {
  if (status === 401)
    return error("refused", "cannot be read: Google does not accept the login. Log in again.");
  if (status === 403) {
    return error(
      "refused",
      "cannot be read: the identity has no right to its value, or the Secret Manager API is not enabled in the project. It needs secretmanager.versions.access, for example by the role Secret Manager Secret Accessor. To plan what was applied before, Secret Manager Viewer is enough.",
    );
  }
  if (status === 404)
    return error("not-found", "does not exist, or has no such version. Correct its name, or create it.");
  if (status === 400 && reason === "FAILED_PRECONDITION")
    return error(
      "refused",
      "cannot be read: its version is disabled or destroyed. Add a new one, or enable it.",
    );
  if (status === 429 || status >= 500)
    return error("unreachable", `cannot be read: Google Secret Manager answers with status ${status}.`);
  if (status === 400)
    return error(
      "refused",
      "cannot be read: Google refuses the request (status 400). Check its name and version.",
    );
  return error(
    "malformed",
    `cannot be read: what answers is not Google Secret Manager (status ${status}). Check the endpoint and the proxy.`,
  );
}

type Class<Kind> = abstract new (...given: never[]) => Kind;

/** The error of this class among the causes of another. */
function causeIn<Kind>(thrown: unknown, kind: Class<Kind>, depth = 0): Kind | undefined {
  if (thrown instanceof kind) return thrown;
  return thrown instanceof Error && depth < 6 ? causeIn(thrown.cause, kind, depth + 1) : undefined;
}
