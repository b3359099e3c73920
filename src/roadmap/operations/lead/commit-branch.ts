import { isBranchFor, nameCommitBranch } from "../../model/lead/commit-branch.ts";
import type { CommitAction } from "../../model/lead/lead-state.ts";
import type { RoadmapEngine } from "../engine.ts";

const MAX_SAME_NAMES = 1_000;

/** The branch to create for a commit. Undefined if the setting names none, or the right one is checked out. */
export async function findMissingBranch(engine: RoadmapEngine, action: CommitAction): Promise<string | undefined> {
  const { branch: policy } = (await engine.settings.load()).roadmap;
  const name = nameCommitBranch(policy, action);
  if (name === undefined || !(await engine.snapshots.isPossible())) return undefined;
  if (isBranchFor(name, await engine.snapshots.branch())) return undefined;
  for (let number = 1; number < MAX_SAME_NAMES; number++) {
    const free = number === 1 ? name : `${name}-${number}`;
    if ((await engine.source.committedAt(`refs/heads/${free}`)) === undefined) return free;
  }
  return name;
}

/** Why a commit on the checked-out branch is not the offered one. */
export async function findBranchProblem(engine: RoadmapEngine, action: CommitAction): Promise<string | undefined> {
  const branch = await findMissingBranch(engine, action);
  if (branch === undefined) return undefined;
  const now = await engine.snapshots.branch();
  return `The setting roadmap.branch names ${branch} for this commit, and ${now} is checked out. Run: git switch -c ${branch}. Then report again.`;
}
