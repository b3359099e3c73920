export const COVERAGE_FORMATS = ["lcov", "istanbul-json", "coverage-py-json", "go-cover"] as const;
export type CoverageFormat = (typeof COVERAGE_FORMATS)[number];

/** Lines that can be run, and whether they were: by file, relative to the workspace. */
export type Coverage = ReadonlyMap<string, ReadonlyMap<number, boolean>>;
