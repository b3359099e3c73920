import { formatGithubAnnotation } from "../annotation.ts";
import type { CiFinding } from "./levels.ts";

/** What was found, as lines that GitHub shows beside the file they are about. */
export const annotationsOf = (findings: readonly CiFinding[]): string[] =>
  findings.map(({ level, check, problem, path, line }) =>
    formatGithubAnnotation({ level, title: `tenon ${check}`, message: problem, path, line }),
  );
