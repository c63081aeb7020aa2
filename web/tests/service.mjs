// The command, and the service that it runs: `TAMIZ` is where it is.

import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";

const TAMIZ = process.env.TAMIZ;

/** What the command prints for some input. */
export function tamiz(args, input = "") {
  return execFileSync(TAMIZ, args, { input, maxBuffer: 64 << 20 }).toString();
}

/**
 * Starts a service of its own that can be started again where it was: on a port below those that systems hand out by
 * themselves, so that nobody takes it meanwhile.
 */
export async function startOnPortOfItsOwn() {
  const first = 10_000 + (process.pid % 2_000) * 10;
  for (let port = first; ; port += 1) {
    const service = await start(port).catch((error) => {
      if (port - first > 100) throw error;
    });
    if (service) return service;
  }
}

/** Starts a service of its own, on a free port or on the one that is given. No client is too slow for it. */
export async function start(port = 0, ...options) {
  if (!TAMIZ) throw new Error("TAMIZ has to name the command, as `cargo x test` does");
  const patient = ["--head-timeout", "600", "--body-timeout", "600", "--write-timeout", "600"];
  const child = spawn(TAMIZ, ["serve", "--listen", `127.0.0.1:${port}`, ...patient, ...options], { stdio: ["ignore", "pipe", "ignore"] });
  const gone = new Promise((resolve) => child.on("exit", resolve));
  const first = new Promise((resolve) => createInterface(child.stdout).once("line", resolve));
  const line = await Promise.race([first, gone]);
  const address = /^http:\/\/127\.0\.0\.1:(\d+)\/$/.exec(String(line));
  if (!address) throw new Error(`the service does not say where it is: ${line}`);
  return {
    origin: `http://127.0.0.1:${address[1]}`,
    port: Number(address[1]),
    /** Ends it at once, as a machine that fails does. */
    stop: () => {
      child.kill("SIGKILL");
      return gone;
    },
  };
}
