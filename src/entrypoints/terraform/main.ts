#!/usr/bin/env node
// Provider executable. The only file of this module that uses the process.
import { Console } from "node:console";
import { serveDebug, servePlugin } from "@avatarops/terraform-plugin";
import ownPackage from "../../../package.json" with { type: "json" };
import { builtSchema } from "./built-schema.js";

const { version } = ownPackage;

// Stdout is reserved for the handshake, but libraries may print to it.
globalThis.console = new Console(process.stderr, process.stderr);
// The definition is loaded on demand, because the handshake does not need it.
const load = async () => {
  const { createServer } = await import("./definition.js");
  return createServer({ version, environment: process.env, ownsProcess: true });
};

const schema =
  builtSchema &&
  Object.fromEntries(
    Object.entries(builtSchema).map(([call, base64]) => [call, Buffer.from(base64, "base64")]),
  );
const addresses = ["registry.terraform.io", "registry.opentofu.org"].map(
  (host) => `${host}/avatarops/avatarops`,
);
const [, , argument] = process.argv;
if (argument === "--version") process.stdout.write(`${version}\n`);
else if (argument === "--debug") void serveDebug({ load, addresses, process });
else void servePlugin({ load, schema, process });
