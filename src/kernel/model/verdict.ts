export interface Problem {
  readonly problem: string;
  readonly line?: number;
}

/** A failed verdict is a result, not an error. */
export interface Verdict {
  readonly passed: boolean;
  readonly problems: readonly Problem[];
}

const MAX_VERDICT_PROBLEMS = 50;

export function limitShownProblems(problems: readonly Problem[]): Problem[] {
  const rest = problems.length - MAX_VERDICT_PROBLEMS;
  const left = rest > 0 ? [{ problem: `${rest} more are left out.` }] : [];
  return [...problems.slice(0, MAX_VERDICT_PROBLEMS), ...left];
}

export const createVerdict = (problems: readonly Problem[]): Verdict => ({ passed: problems.length === 0, problems });
