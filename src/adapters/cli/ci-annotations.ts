import { formatCiAnnotations } from "#domain/ci/annotations.ts";
import type { CiFinding } from "#domain/ci/levels.ts";
import type { CommandFollowUp } from "./command.ts";

export const printCiAnnotations: CommandFollowUp = async (output, flags, { io, environment }, isJson) => {
  const wanted = flags["annotations"] ?? (environment["GITHUB_ACTIONS"] === "true" ? "github" : "none");
  if (wanted !== "github") return;
  const lines = formatCiAnnotations((output as { findings: readonly CiFinding[] }).findings)
    .map((line) => `${line}\n`)
    .join("");
  // GitHub reads both streams; a caller that wants JSON reads only standard output.
  if (isJson) io.err(lines);
  else io.out(lines);
};
