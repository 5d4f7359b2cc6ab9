import { startDoppler } from "../stand-ins/doppler.js";
import { failuresOf } from "../stand-ins/failures.js";
import { describeSource, type StartedSource, written } from "./compliance.js";

describeSource("doppler", async (): Promise<StartedSource> => {
  const doppler = await startDoppler();
  return {
    environment: { DOPPLER_TOKEN: doppler.serviceToken, DOPPLER_API_HOST: doppler.url },
    written: (name, timeoutSeconds) => written("doppler", { name, timeoutSeconds }),
    put: (name, value) => void doppler.secrets.set(name, value),
    failures: {
      ...failuresOf(doppler),
      missing: (name) => void doppler.secrets.delete(name),
      empty: (name) => void doppler.secrets.set(name, " \n"),
    },
    reads: () => doppler.requests.length,
    stop: () => doppler.close(),
  };
});
