import fs from "node:fs";

/** Identifies this boot of the machine. Without a system id, a restarted steady clock reveals a reboot. */
export function readBootId(): string {
  const file = "/proc/sys/kernel/random/boot_id";
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : "this boot";
}
