import { join } from "node:path";

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
