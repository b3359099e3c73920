import { hook } from "./hook.ts";
import type { Injector } from "./injector.ts";
import { hasStrace, strace } from "./strace.ts";

/** Every way to strike that this machine has, the finest first. */
export const INJECTORS: readonly Injector[] = hasStrace() ? [strace, hook] : [hook];

if (!hasStrace()) {
  process.stdout.write(
    "strace is missing: strikes fall between the calls of the program, not between those of SQLite.\n",
  );
}
