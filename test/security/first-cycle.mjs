/** Runs `sync` in a separate process until its first cycle ends. */
import { spawn } from "node:child_process";

const args = [...process.argv.slice(2), "--listen", "127.0.0.1:0", "--interval", "24h"];
const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
child.stdout.setEncoding("utf8").on("data", (text) => {
  process.stdout.write(text);
  if (text.includes('"msg":"cycle"')) child.kill("SIGKILL");
});
