import { annotationsOf } from "#domain/ci/annotations.ts";
import type { CiFinding } from "#domain/ci/levels.ts";
import type { Afterwards } from "./command.ts";

/** What a build shows of a run in CI, beside its answer. */
export const annotateCi: Afterwards = async (output, flags, { io, environment }, isJson) => {
  const wanted = flags["annotations"] ?? (environment["GITHUB_ACTIONS"] === "true" ? "github" : "none");
  if (wanted !== "github") return;
  const lines = annotationsOf((output as { findings: readonly CiFinding[] }).findings)
    .map((line) => `${line}\n`)
    .join("");
  // GitHub reads both streams; whoever asked for JSON reads only one.
  if (isJson) io.err(lines);
  else io.out(lines);
};
