import fs from "node:fs";
import { join } from "node:path";

/** Identifies this boot of the machine. Without a system id, a restarted steady clock reveals a reboot. */
export function readBootId(): string {
  const file = "/proc/sys/kernel/random/boot_id";
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : "this boot";
}

export function locateDataFolder(
  { TENON_HOME, XDG_DATA_HOME, APPDATA }: Readonly<Record<string, string | undefined>>,
  home: () => string,
  platform: string = process.platform,
): string {
  if (TENON_HOME) return TENON_HOME;
  if (platform === "darwin") return join(home(), "Library", "Application Support", "tenon");
  if (platform === "win32") return join(APPDATA ?? home(), "tenon");
  return join(XDG_DATA_HOME || join(home(), ".local", "share"), "tenon");
}
