import { getArchivedPath, getOwnerRecord, isKeptRecord, judgeKeptRecord } from "../../model/ci/kept-records.ts";
import type { CheckingEngine } from "../engine.ts";

export interface AlteredRecord {
  readonly path: string;
  readonly problem: string;
}

/** Records of this commit that are gone now, or that say something that Tenon does not write. */
export async function findAlteredRecords(
  { snapshots, source }: Pick<CheckingEngine, "snapshots" | "source">,
  since: string,
): Promise<AlteredRecord[]> {
  const changed = await snapshots.between(since, await snapshots.tree());
  const paths = changed.filter(({ path, from }) => from !== undefined && isKeptRecord(path)).map(({ path }) => path);
  if (paths.length === 0) return [];
  const old = await (await source.at(since))?.read(paths);
  const found: AlteredRecord[] = [];
  for (const path of paths) {
    const before = old?.get(path);
    if (before?.kind !== "text") continue;
    const [moved, owner] = [getArchivedPath(path), getOwnerRecord(path)];
    const after = (await source.text(path)) ?? (moved === undefined ? undefined : await source.text(moved));
    if (after === undefined && owner !== undefined && (await source.text(owner)) === undefined) continue;
    const problem = judgeKeptRecord({ path, before: before.text, after });
    if (problem !== undefined)
      found.push({ path, problem: `${path} ${problem}. To restore it: git checkout ${since.slice(0, 12)} -- ${path}` });
  }
  return found;
}
