import { findTestCases } from "#code/model/scan/test-cases.ts";
import { readAllowanceReason } from "#code/model/scan/code-shortcuts.ts";
import type { CodeScan } from "#code/model/scan/code-scan.ts";
import { findSpecTags } from "#code/model/scan/spec-tags.ts";
import { findFileStack, findTestSections, isTestLine, isTestPath } from "#code/model/scan/test-files.ts";
import type { TemporaryCheckout } from "#git/operations/ports/git-files.ts";
import { throwIfCancelled } from "#kernel/operations/call-progress.ts";
import { formatShortList } from "#kernel/model/text-format.ts";
import type { ChangeRecord } from "#planning/model/change/change-record.ts";
import {
  BREAKING_ROUNDS,
  findCommentAround,
  findCommentBlockEnd,
  findTaggedPart,
  findTargetTests,
  type LineRange,
} from "../../model/mutation/mutation-check.ts";
import { findTestCheck, listBorrowedFolders } from "../../model/stack/stack-check.ts";
import type { CheckingEngine } from "../engine.ts";
import { blankCode, type BreakableCode, breakCode } from "../gate/broken-code.ts";
import { loadCheckRuling, type TrustedChecks } from "../gate/load-trusted-checks.ts";
import { findTestOutcomes, runCheck, runExclusively } from "../gate/run-check.ts";
import { type JudgedFinding, splitAllowedFindings, type StaticFindings } from "../gate/static-checks.ts";

const MOST_NAMED_FILES = 3;

interface CarrierRun {
  readonly engine: CheckingEngine;
  readonly rules: TrustedChecks;
  readonly lent: TemporaryCheckout;
}

interface TaggedParts {
  readonly code: readonly BreakableCode[];
  readonly tests: readonly { readonly file: string; readonly name: string; readonly allowed?: string | undefined }[];
}

/**
 * A tag above code that its tests do not reach carries nothing. So each requirement is tested with only the code broken
 * that names it, for as long as the time allows; the first one always is.
 */
export async function findUnnoticedCarriers(
  engine: CheckingEngine,
  { base_commit }: Pick<ChangeRecord, "base_commit">,
  carriers: ReadonlyMap<string, readonly string[]>,
  most_ms: number,
): Promise<StaticFindings & { readonly unchecked: readonly string[] }> {
  const { rules } = await loadCheckRuling(engine, base_commit);
  const found: JudgedFinding[] = [];
  const unchecked: string[] = [];
  if (!rules || carriers.size === 0) return { problems: [], allowed: [], unchecked };
  const linked = listBorrowedFolders(rules.definitions.stacks);
  await runExclusively(engine, async () => {
    await using lent = await engine.worktrees.lend({ commit: await engine.snapshots.tree(), over: [], linked });
    let spent = 0;
    for (const [id, paths] of lent.leaks.length > 0 ? [] : carriers) {
      if (spent > most_ms) {
        unchecked.push(id);
        continue;
      }
      const parts = await findTaggedParts(engine, id, paths);
      const { ms, isUnnoticed } = await tryBrokenCode({ engine, rules, lent }, parts, id.startsWith("NFR-"));
      spent += ms;
      if (!isUnnoticed) continue;
      const named = formatShortList([...new Set(parts.code.map(({ path }) => path))], MOST_NAMED_FILES);
      found.push({
        problem: `${id}: its tests also pass when the code tagged with it is broken: ${named}. Tag the code that does it, and test that.`,
        allowed: parts.tests.find(({ allowed }) => allowed !== undefined)?.allowed,
      });
    }
  });
  return { ...splitAllowedFindings(found), unchecked };
}

async function findTaggedParts(
  { source, syntax }: CheckingEngine,
  spec: string,
  paths: readonly string[],
): Promise<TaggedParts> {
  const files: { readonly path: string; readonly text: string; readonly look: CodeScan }[] = [];
  for (const path of paths) {
    const text = await source.text(path);
    const look = text === undefined ? undefined : await syntax.look(path, text);
    if (text !== undefined && look) files.push({ path, text, look });
  }
  return {
    code: files.flatMap(({ path, text, look }) => {
      const tags = isTestPath(path) ? [] : findSpecTags(look).filter((tag) => tag.spec === spec);
      const sections = findTestSections(look);
      const own = tags.filter(({ line }) => !isTestLine(sections, line));
      const lines = own.map(({ line }) => findTaggedPart(look, line) ?? findParagraph(text, look, line));
      return lines.length > 0 ? [{ path, lines }] : [];
    }),
    tests: files.flatMap(({ path: file, look }) => {
      const targets = findTargetTests(file, look, { spec }, isTestPath(file));
      return findTestCases(look)
        .filter(({ name }) => targets.some((each) => each.name === undefined || each.name === name))
        .map(({ name, line, lastLine }) => {
          const inside = look.comments.filter((each) => each.line >= line - 1 && each.lastLine <= lastLine);
          const allowed = inside.map(({ text }) => readAllowanceReason(text)).find((each) => each !== undefined);
          return { file, name, allowed };
        });
    }),
  };
}

/** A statement that is not a function, up to the next blank line. At the head of a file, the tag is on all of it. */
function findParagraph(text: string, look: CodeScan, tag: number): LineRange {
  const comment = findCommentAround(look, tag);
  const lines = text.split("\n");
  const from = comment ? findCommentBlockEnd(look, comment) : tag;
  const isBlank = (at: number): boolean => (lines[at - 1] ?? "").trim() === "";
  const isComment = (at: number): boolean => look.comments.some((each) => each.line <= at && at <= each.lastLine);
  const isHead = lines.slice(0, tag - 1).every((_, at) => isBlank(at + 1) || isComment(at + 1));
  if (isHead || isBlank(from + 1)) return { line: 1, lastLine: Infinity };
  const end = lines.findIndex((_, at) => at > from && isBlank(at + 1));
  return { line: from + 1, lastLine: end === -1 ? lines.length : end };
}

/** A test of a quality may accept wrong results, but not that the code is gone. */
async function tryBrokenCode({ engine, rules, lent }: CarrierRun, { code, tests }: TaggedParts, isQuality: boolean) {
  const seen: (string | undefined)[] = [];
  let ms = 0;
  for (const kinds of isQuality ? [undefined] : [...BREAKING_ROUNDS, undefined]) {
    if (kinds === undefined && seen.length > 0) break;
    const broken = kinds ? await breakCode(engine, lent, code, kinds) : await blankCode(engine, lent, code);
    if (broken.length === 0) continue;
    const run = await runTaggedTests({ engine, rules, lent }, tests);
    ms += run.ms;
    seen.push(run.verdict);
    if (run.verdict === "failed") break;
  }
  for (const { path } of code) await lent.put(path, (await engine.source.text(path)) ?? "");
  return { ms, isUnnoticed: seen.includes("passed") && !seen.includes("failed") };
}

/** Undefined if nothing reported on these tests: then the broken code may not compile. */
async function runTaggedTests({ engine, rules, lent }: CarrierRun, tests: TaggedParts["tests"]) {
  const { stacks } = rules.definitions;
  const all: string[] = [];
  let ms = 0;
  for (const [stack, own] of Map.groupBy(tests, ({ file }) => findFileStack(file, stacks))) {
    const check = stack && findTestCheck(stack);
    if (!stack || !check) continue;
    engine.progress.tell(`${check.tool} with broken code`);
    const finished = await runCheck(engine, lent.root, { name: "requirement-tests", stack, check }, rules.passes, own);
    throwIfCancelled(engine.progress);
    ms += finished.receipt.ms ?? 0;
    all.push(...own.flatMap(({ file, name }) => findTestOutcomes(finished, name, [file]).map(({ status }) => status)));
  }
  return { ms, verdict: ["failed", "passed"].find((status) => all.includes(status)) };
}
