import { formatShortList } from "#kernel/model/text-format.ts";
import * as paths from "#kernel/model/workspace-paths.ts";
import { findActionGroup, type Lead, type SpawnAction } from "#roadmap/model/lead/lead-state.ts";

export interface ChangedFile {
  readonly path: string;
  readonly from?: { readonly mode: string } | undefined;
  readonly to?: { readonly mode: string } | undefined;
}

export interface GuardResult<File> {
  readonly own: readonly File[];
  /** New files that do not: left out. Tests and tools leave such files behind. */
  readonly leftOut: readonly string[];
  /** Changed documents and records that are Tenon's. Agents cannot restore those that are not committed. */
  readonly records: readonly File[];
  /** Why nothing of it is merged. */
  readonly problems: readonly string[];
}

/** The files that an action may change. A review may change none. */
export function listActionFiles(lead: Lead, action: SpawnAction): readonly string[] {
  const { work } = action;
  switch (work.of) {
    case "design":
      return [paths.getFeatureDesignPath(work.feature), paths.getFeatureResearchPath(work.feature)];
    case "tasks":
      return [paths.getFeatureTasksPath(work.feature)];
    case "build":
      return findActionGroup(lead, action)?.files ?? [];
    case "review":
      return [];
  }
}

const REGULAR_FILE = /^100(?:644|755)$/;

/** Every change of an existing file must belong to the action, and no other document or record may change. */
export function judgeAgentChanges<File extends ChangedFile>(
  allowed: readonly string[],
  changed: readonly File[],
): GuardResult<File> {
  const own = changed.filter(({ path }) => allowed.includes(path));
  const others = changed.filter(({ path }) => !allowed.includes(path));
  const isTenons = ({ path }: File): boolean => /^\.?sdd\//i.test(path);
  const strange = others.filter((file) => file.from !== undefined || isTenons(file));
  const records = strange.filter(isTenons);
  const foreign = strange.filter((file) => !isTenons(file));
  const special = own.filter(({ to }) => to !== undefined && !REGULAR_FILE.test(to.mode)).map(({ path }) => path);
  const list = (files: readonly string[]): string => formatShortList([...files], 10);
  return {
    own,
    leftOut: others.filter((file) => !strange.includes(file)).map(({ path }) => path),
    records,
    problems: [
      ...(foreign.length === 0
        ? []
        : [`These files do not belong to the action. Restore them: ${list(foreign.map(({ path }) => path))}.`]),
      ...(records.length === 0
        ? []
        : [
            `These files are Tenon's, and it restored them. Leave them alone: ${list(records.map(({ path }) => path))}.`,
          ]),
      ...(special.length === 0 ? [] : [`These must be regular files, not links or submodules: ${list(special)}.`]),
    ],
  };
}
