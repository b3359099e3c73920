import type { CommitAction } from "./lead-state.ts";

/** Commits go to whatever branch is checked out. */
const CURRENT_BRANCH = "current";

/**
 * The branch that a setting such as `roadmap/{wave}` names for a commit. A feature without a wave gives its own name, and
 * so does a wave with several features.
 */
export function nameCommitBranch(policy: string, { wave, features }: CommitAction): string | undefined {
  if (policy === CURRENT_BRANCH) return undefined;
  const [first = "roadmap"] = features;
  const waveName = wave === null ? first : `wave-${wave}`;
  const featureName = features.length > 1 && wave !== null ? waveName : first;
  return policy.replaceAll("{wave}", waveName).replaceAll("{feature}", featureName);
}

/** A revised wave gets a branch of its own: `roadmap/wave-1-2`. */
export const isBranchFor = (name: string, branch: string): boolean =>
  branch === name || (branch.startsWith(`${name}-`) && /^\d+$/.test(branch.slice(name.length + 1)));
