import { servePlugin } from "../../src/index.js";

const { SCHEMA, IDENTITY = "" } = process.env;
const plugin = {
  process,
  ...(SCHEMA === undefined
    ? {}
    : {
        schema: {
          GetProviderSchema: Buffer.from(SCHEMA, "base64"),
          GetResourceIdentitySchemas: Buffer.from(IDENTITY, "base64"),
        },
      }),
  async load() {
    if (process.env.BROKEN) throw new Error("the provider cannot be loaded");
    return (await import("./fixture.js")).createFixture;
  },
};

void servePlugin(plugin);
