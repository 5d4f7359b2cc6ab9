import type { StartedSource } from "../sources/compliance.js";
import type { Fault, StandIn } from "./server.js";

/** Returns failures that every HTTP stand-in supports. */
export function createFailures(standIn: StandIn): StartedSource["failures"] {
  const answers = (fault: Fault) => () => {
    standIn.fault = fault;
  };
  return {
    unauthorized: answers({ status: 401 }),
    forbidden: answers({ status: 403 }),
    recovering: answers({ status: 500, times: 2 }),
    unavailable: answers({ status: 503 }),
    redirecting(_name, _project, elsewhere) {
      standIn.fault = { status: 307, headers: { location: `${elsewhere}/v1/secrets/llm` } };
    },
    html: answers("html"),
    cut: answers("cut"),
    huge: answers("huge"),
    slow: answers("slow"),
    endless: answers("endless"),
  };
}
