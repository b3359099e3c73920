import { formatGithubAnnotation } from "../annotation.ts";
import type { ReceiptVerification } from "./verification.ts";

export function formatVerificationAnnotations({ strict, workflows, findings, strays }: ReceiptVerification): string[] {
  const mild = strict ? "error" : "warning";
  return [
    ...strays.map(({ path, problem }) => formatVerifyAnnotation("error", problem, path)),
    ...workflows.flatMap(({ id, path, problems, findings: own, reruns }) => [
      ...problems.map(({ problem, line }) => formatVerifyAnnotation("error", problem, path, line)),
      ...reruns
        .filter(({ passed }) => !passed)
        .map(({ receipt, check, problem = "It fails now." }) =>
          formatVerifyAnnotation("error", `${receipt}: ${check}: ${problem}`, path),
        ),
      ...own.map((finding) => formatVerifyAnnotation(mild, `${id}: ${finding}`, path)),
    ]),
    ...findings.map((finding) => formatVerifyAnnotation(mild, finding)),
  ];
}

const formatVerifyAnnotation = (level: "error" | "warning", message: string, path?: string, line?: number): string =>
  formatGithubAnnotation({ level, title: "tenon verify", message, path, line });
