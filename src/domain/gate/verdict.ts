/** One thing that stands in the way, with the line of the document where there is one. */
export interface Problem {
  readonly problem: string;
  readonly line?: number;
}

/** What a gate says. Saying no is its work, not an error. */
export interface Verdict {
  readonly passed: boolean;
  readonly problems: readonly Problem[];
}

/** An answer has a ceiling: past it, the rest is counted. */
const MOST_TOLD = 50;

export function mostPressing(problems: readonly Problem[]): Problem[] {
  const rest = problems.length - MOST_TOLD;
  return rest > 0 ? [...problems.slice(0, MOST_TOLD), { problem: `${rest} more are left out.` }] : [...problems];
}

export function verdict(problems: readonly Problem[]): Verdict {
  return { passed: problems.length === 0, problems };
}
