import { readHandwrittenText } from "#code/model/docs/auto-sections.ts";
import { joinFolderAndPath } from "#kernel/model/folder-path.ts";
import { formatShortList } from "#kernel/model/text-format.ts";
import type { CheckingEngine } from "../engine.ts";
import type { FinishedCheck } from "./run-check.ts";

/** Checks whose tools name each file that they reject. */
const FILE_CHECKS = new Set(["format", "lint"]);
const MOST_NAMED_FILES = 5;
const TENON_PATH = /^\.?sdd\//;

/** A project's formatter has no say in files of Tenon. Passes only if the output names no other file. */
export async function dropTenonFileFailures(
  { source }: Pick<CheckingEngine, "source">,
  finished: FinishedCheck,
  notes: string[],
): Promise<FinishedCheck> {
  const { name, stack, outcome, failures, hasAllLines, receipt } = finished;
  if (!FILE_CHECKS.has(name) || outcome.status !== "failed" || !hasAllLines) return finished;
  const known = new Set((await source.files()).map(({ path }) => path));
  const named = new Map(
    failures.map((each) => {
      const paths = splitWords(each.problem).map((word) => joinFolderAndPath(stack.directory, word));
      return [each, paths.filter((path) => known.has(path) || TENON_PATH.test(path))];
    }),
  );
  const tenon = new Set<string>();
  for (const path of new Set([...named.values()].flat())) {
    const text = TENON_PATH.test(path) ? "" : await source.text(path);
    if (text !== undefined && isGeneratedText(path, text)) tenon.add(path);
  }
  const left = failures.filter((each) => !named.get(each)?.some((path) => tenon.has(path)));
  if (left.length === failures.length) return finished;
  const note = `${name}: Tenon writes ${formatShortList([...tenon].toSorted(), MOST_NAMED_FILES)}, so a failure there does not count.`;
  if (!notes.includes(note)) notes.push(note);
  if (left.some((each) => (named.get(each)?.length ?? 0) > 0))
    return { ...finished, failures: left, outcome: { ...outcome, problems: left.map(({ problem }) => ({ problem })) } };
  const reason = note.slice(name.length + 2);
  return {
    ...finished,
    outcome: { status: "passed", problems: [] },
    receipt: { ...receipt, status: "passed", reason },
  };
}

/** Words that may be paths: `[warn] docs/a.md`, `Would reformat: ./docs/a.md`. */
const splitWords = (line: string): string[] =>
  line.split(/[\s"'`(),:;[\]]+/).flatMap((word) => (/[./]/.test(word) ? [word.replace(/^\.\//, "")] : []));

/** A page with text by hand is the project's. */
const isGeneratedText = (path: string, text: string): boolean =>
  TENON_PATH.test(path) || (/<!--\s*AUTO:/.test(text) && readHandwrittenText(text).trim() === "");
