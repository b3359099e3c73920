import { formatGithubAnnotation } from "../annotation.ts";
import type { CiFinding } from "./levels.ts";

export const formatCiAnnotations = (findings: readonly CiFinding[]): string[] =>
  findings.map(({ level, check, problem, path, line }) =>
    formatGithubAnnotation({ level, title: `tenon ${check}`, message: problem, path, line }),
  );
