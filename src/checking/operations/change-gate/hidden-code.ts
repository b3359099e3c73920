import { isSourceFile, isTestFile } from "#code/model/scan/test-files.ts";
import { getPathName } from "#kernel/model/folder-path.ts";
import type { Problem } from "#kernel/model/verdict.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import type { AttributedWork } from "#planning/operations/workflow/attributed-work.ts";
import type { HiddenFile } from "#git/operations/ports/git-files.ts";
import type { CheckingEngine } from "../engine.ts";
import { loadCheckRuling } from "../gate/load-trusted-checks.ts";

/** Programs load these without an import. */
const LOADED_BY_ITSELF = /^(?:conftest|sitecustomize|usercustomize)\.py$|\.pth$/;
const MOST_NAMED_FILES = 10;

/** Code that the tests see and a commit leaves out, so the receipt would be for files that no clone gets. */
export async function findHiddenCode(
  engine: CheckingEngine,
  { base_commit, created_at }: ChangeRecord,
  { base, files }: AttributedWork,
): Promise<Problem[]> {
  const isIgnoreEdited = files.some(({ path }) => getPathName(path) === ".gitignore");
  const all = await engine.snapshots.hidden(isIgnoreEdited);
  if (all.length === 0) return [];
  const { stacks } = await loadCheckRuling(engine, base_commit);
  const code = all.filter(({ path }) => isSourceFile(path, stacks) || isTestFile(path, stacks));
  const times = await engine.snapshots.changedAt(code.map(({ path }) => path));
  const before = await (await engine.source.at(base))?.read(code.flatMap(({ rules }) => rules ?? []));
  const isNewRule = ({ rules = "", pattern = "", isShared }: HiddenFile): boolean => {
    const was = before?.get(rules);
    return !isShared || was?.kind !== "text" || !was.text.split(/\r?\n/).includes(pattern);
  };
  const isFresh = (each: HiddenFile): boolean =>
    isNewRule(each) && (times.get(each.path) ?? 0) >= Date.parse(created_at);
  // A sparse checkout from before the work is the user's.
  const fresh = code.filter((each) =>
    each.how === "sparse" ? (each.since ?? 0) >= Date.parse(created_at) : each.how !== "ignored" || isFresh(each),
  );
  if (fresh.length === 0) return [];
  const texts = await Promise.all(files.map(({ path }) => engine.source.text(path)));
  const text = texts.filter((each) => each !== undefined).join("\n");
  const isUsed = ({ path, how }: HiddenFile): boolean => {
    const name = getPathName(path);
    const stem = name.replace(/\.[^.]*$/, "");
    return (
      how !== "ignored" || LOADED_BY_ITSELF.test(name) || new RegExp(`(?<![\\w-])${escape(stem)}(?![\\w-])`).test(text)
    );
  };
  return fresh
    .filter(isUsed)
    .slice(0, MOST_NAMED_FILES)
    .map(({ path, how, rules, pattern }) => ({
      problem:
        how === "ignored"
          ? `${path} is code that git ignores (${rules}: ${pattern}), so a commit would leave it out. Remove the rule.`
          : how === "sparse"
            ? `${path} is left out of this checkout since the work began, so its tests did not run. Run: git sparse-checkout disable`
            : `${path} has edits that git hides, so a commit would leave them out. Run: git update-index --no-${how} -- ${path}`,
    }));
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
