export interface Problem {
  readonly problem: string;
  readonly line?: number;
}

/** A failed verdict is a result, not an error. */
export interface Verdict {
  readonly passed: boolean;
  readonly problems: readonly Problem[];
}

const MOST_TOLD = 50;

export function mostPressing(problems: readonly Problem[]): Problem[] {
  const rest = problems.length - MOST_TOLD;
  return rest > 0 ? [...problems.slice(0, MOST_TOLD), { problem: `${rest} more are left out.` }] : [...problems];
}

export function verdict(problems: readonly Problem[]): Verdict {
  return { passed: problems.length === 0, problems };
}
