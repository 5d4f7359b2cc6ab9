import { processHost, providerServer, servePlugin } from "../../src/index.js";
import { exampleProvider, newMemory } from "./example.js";

void servePlugin({
  host: processHost(process),
  load: async () => providerServer(exampleProvider(newMemory())),
});
