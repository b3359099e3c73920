import fs from "node:fs";

/** Names this run of the machine. Where the system has no name for it, the clock starting over tells. */
export function bootId(): string {
  const file = "/proc/sys/kernel/random/boot_id";
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : "this boot";
}
