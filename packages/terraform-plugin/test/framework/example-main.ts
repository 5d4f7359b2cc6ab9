import { hostOf, instanceOf, serve } from "../../src/index.js";
import { exampleProvider, newMemory } from "./example.js";

void serve({ host: hostOf(process), load: async () => instanceOf(exampleProvider(newMemory())) });
