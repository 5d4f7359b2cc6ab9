import type { NewProviderServer, ProviderServer } from "../../src/index.js";

/** Handwritten provider with two calls. */
export const createFixture: NewProviderServer = ({ log }): ProviderServer => {
  const answered: Pick<ProviderServer["rpcs"], "ReadDataSource" | "ListResource"> = {
    async ReadDataSource({ typeName: name, config }) {
      if (name === "echo") return { state: config };
      if (name === "log") log("info", "Told to log", { once: true });
      if (name === "crash") setTimeout(() => callUndefinedFunction());
      if (name === "never") return new Promise(() => {});
      if (name === "fail") throw new Error("50 % Ärger\nin line 2");
      return {};
    },
    async ListResource({ typeName, limit }, send) {
      for (let at = 1; at <= limit; at++) send({ displayName: `${typeName} ${at}` });
      if (typeName === "fail") throw new Error("there is no more");
      if (typeName === "never") return new Promise(() => {});
      return undefined;
    },
  };
  return {
    rpcs: answered as ProviderServer["rpcs"],
    close: async () => log("info", "Hung up"),
  };
};

function callUndefinedFunction(): never {
  throw new TypeError("nothing is not a function");
}
