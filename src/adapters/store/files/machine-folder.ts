import fs from "node:fs";
import { join } from "node:path";

export function makeMachineFolder(folder: string, newId: () => string): void {
  fs.mkdirSync(folder, { recursive: true, mode: 0o755 });
  writeSelfIgnore(folder, newId);
}

/** Renamed into place, so that a link there is replaced and never followed. */
function writeSelfIgnore(folder: string, newId: () => string): void {
  const place = join(folder, ".gitignore");
  const stat = fs.lstatSync(place, { throwIfNoEntry: false });
  if (stat?.isFile() && stat.size > 0) return;
  const temporary = `${place}.${newId()}.tmp`;
  fs.writeFileSync(temporary, "*\n", { mode: 0o644 });
  fs.renameSync(temporary, place);
}
