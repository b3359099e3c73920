import { formatGithubAnnotation } from "../annotation.ts";
import type { Verification } from "./verification.ts";

export function annotationsOf({ strict, workflows, findings, strays }: Verification): string[] {
  const mild = strict ? "error" : "warning";
  return [
    ...strays.map(({ path, problem }) => say("error", problem, path)),
    ...workflows.flatMap(({ id, path, problems, findings: own, reruns }) => [
      ...problems.map(({ problem, line }) => say("error", problem, path, line)),
      ...reruns
        .filter(({ passed }) => !passed)
        .map(({ receipt, check, problem = "It fails now." }) => say("error", `${receipt}: ${check}: ${problem}`, path)),
      ...own.map((finding) => say(mild, `${id}: ${finding}`, path)),
    ]),
    ...findings.map((finding) => say(mild, finding)),
  ];
}

const say = (level: "error" | "warning", message: string, path?: string, line?: number): string =>
  formatGithubAnnotation({ level, title: "tenon verify", message, path, line });
