import { printable } from "../quote.ts";
import type { Verification } from "./verification.ts";

/** What was found, as lines that GitHub shows beside the file they are about. */
export function annotationsOf({ strict, workflows, findings, strays }: Verification): string[] {
  const mild = strict ? "error" : "warning";
  return [
    ...strays.map(({ path, problem }) => annotation("error", problem, path)),
    ...workflows.flatMap(({ id, path, problems, findings: own, reruns }) => [
      ...problems.map(({ problem, line }) => annotation("error", problem, path, line)),
      ...reruns
        .filter(({ passed }) => !passed)
        .map(({ receipt, check, problem = "It fails now." }) =>
          annotation("error", `${receipt}: ${check}: ${problem}`, path),
        ),
      ...own.map((finding) => annotation(mild, `${id}: ${finding}`, path)),
    ]),
    ...findings.map((finding) => annotation(mild, finding)),
  ];
}

function annotation(level: "error" | "warning", message: string, path?: string, line?: number): string {
  const properties = [
    ...(path === undefined ? [] : [`file=${property(path)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${property("tenon verify")}`,
  ];
  return `::${level} ${properties.join(",")}::${data(message)}`;
}

/** Nothing in a message can end it, or begin another command. */
const data = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => printable(line).replaceAll("%", "%25"))
    .join("%0A");

const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
