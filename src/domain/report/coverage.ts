export const COVERAGE_FORMATS = ["lcov", "istanbul-json", "coverage-py-json", "go-cover"] as const;
export type CoverageFormat = (typeof COVERAGE_FORMATS)[number];

/** By file relative to the workspace: every executable line, and whether a test ran it. */
export type LineCoverage = ReadonlyMap<string, ReadonlyMap<number, boolean>>;
