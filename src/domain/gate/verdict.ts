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

export function verdict(problems: readonly Problem[]): Verdict {
  return { passed: problems.length === 0, problems };
}
