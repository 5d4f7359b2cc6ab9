/**
 * Bundles the simulator and runs it for `npm run simulate`, because loading code during a simulated life
 * would take real time.
 */
import { spawnSync } from "node:child_process";
import { bundleWithSwitches } from "./bundle.js";

const { file, remove } = await bundleWithSwitches("main.ts");
const { status } = spawnSync(process.execPath, [file, ...process.argv.slice(2)], { stdio: "inherit" });
remove();
process.exitCode = status ?? 1;
