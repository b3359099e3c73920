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
  return rest > 0
    ? [...problems.slice(0, MAX_VERDICT_PROBLEMS), { problem: `${rest} more are left out.` }]
    : [...problems];
}

export function createVerdict(problems: readonly Problem[]): Verdict {
  return { passed: problems.length === 0, problems };
}
