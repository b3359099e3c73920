import fs from "node:fs";
import { join } from "node:path";
import { type Injector, type Point, requireSuccess, type Run, normalizeCallLabel } from "./injector.ts";
import { BIN, spawnIn } from "./spawn.ts";

const HOOK = new URL("../kit/fault-hook.ts", import.meta.url).href;

/** Strikes from inside the program, where there is no strace. It knows no calls that only look. */
export const hook: Injector = {
  name: "hook",

  async points(run) {
    const log = join(run.home, `calls-${process.hrtime.bigint()}`);
    requireSuccess(await hooked(run, { TENON_FAULT_LOG: log }), run);
    return listLines(log).map((line, i): Point => ({
      call: line.split(" ")[0] ?? "",
      k: i + 1,
      label: getLabel(line, run.root),
      isWrite: true,
    }));
  },

  async strike(run, point, blow) {
    const log = join(run.home, `strike-${process.hrtime.bigint()}`);
    const struck = await hooked(run, { TENON_FAULT: `${blow}:${point.k}`, TENON_FAULT_LOG: log });
    const line = listLines(log).find((text) => text.startsWith("!"));
    fs.rmSync(log);
    return { ...struck, hit: line && getLabel(line.slice(1), run.root) };
  },
};

function hooked(run: Run, extra: Readonly<Record<string, string>>): ReturnType<typeof spawnIn> {
  const wide = run.isWide ? { TENON_FAULT_WIDE: "1" } : {};
  return spawnIn(run, [process.execPath, "--import", HOOK, BIN, ...run.words], { ...wide, ...extra });
}

const listLines = (log: string): string[] => fs.readFileSync(log, "utf8").split("\n").slice(0, -1);

const getLabel = (line: string, root: string): string => normalizeCallLabel(line.replaceAll(root, ""));
