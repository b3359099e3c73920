import { normalizeSearchTerm, splitSearchWords } from "#kernel/model/search/search-terms.ts";
import { isStopWord } from "#kernel/model/search/stop-words.ts";
import { extractIndexTerms, splitNameParts } from "../../model/query/code-search-terms.ts";
import type { QueryFact } from "../../model/query/query-answer.ts";
import { isTestPath } from "../../model/scan/test-files.ts";
import type { CodeIndex, CodeIndexEntry, IndexedComponentRow } from "../ports/code-index.ts";

const MAX_TEST_FILES = 8;
const MAX_NAMED_TESTS = 2;
/** If only a few files have tests, an answer has room for more of their names. */
const MAX_FEW_FILES = 2;
const MAX_TESTS_OF_FEW_FILES = 8;
const MAX_TEST_CALLERS = 500;
/** A name that many components share says nothing about which of them a test calls. */
const MAX_SHARED_NAME = 20;
const CALL_SCORE = 2;
const NAMED_TEST_SCORE = 1.5;
const MIN_FILE_SCORE = 0.99;
const MIN_TEST_SCORE = 0.99;
const MIN_PATH_SCORE = 0.5;

/** Tests that call it, import its file, or match by name or path; strongest first. */
export async function loadTestsFact(index: CodeIndex, about: string, best: CodeIndexEntry): Promise<QueryFact> {
  const { component, path: own } = best;
  const importers = (await index.usedBy({ path: own })).map(({ from }) => from.path).filter(isTestPath);
  const callers = component === undefined ? [] : await loadTestCallers(index, component);
  const calling = Map.groupBy(callers, ({ path }) => path);
  const terms = extractNameTerms(component?.name ?? about);
  const asked = extractNameTerms(about);
  const share = (wanted: readonly string[], text: string): number => {
    const held = extractIndexTerms(text);
    return wanted.filter((term) => held.has(term)).length / Math.max(1, wanted.length);
  };
  const using = new Set(importers);
  const whole = joinLetters(component?.name ?? about);
  // A function may be passed on instead of called, so the name of a test counts too.
  const named = new Set(
    (await index.tests()).filter(({ name }) => joinLetters(name).includes(whole)).map(({ path }) => path),
  );
  const files = (await index.files()).filter(
    (file) => file.isTest || isTestPath(file.path) || calling.has(file.path) || named.has(file.path),
  );
  const matched = files
    .map(({ path }) => {
      const uses = calling.has(path) ? CALL_SCORE : named.has(path) ? NAMED_TEST_SCORE : using.has(path) ? 1 : 0;
      const ofPath = Math.max(share(asked, path), share(terms, path));
      return { path, score: uses + ofPath, isWhole: ofPath >= MIN_PATH_SCORE };
    })
    .filter(({ score }) => score >= MIN_FILE_SCORE);
  // An import alone proves little where other files call it or name it.
  const strong = matched.filter(({ score }) => score >= NAMED_TEST_SCORE);
  const scored = strong.length > 0 ? strong : matched;
  const found = await Promise.all(
    scored.map(async ({ path, score, isWhole }) => {
      const spots = calling.get(path) ?? [];
      const all = await index.tests({ path });
      const tests = all
        .map((test) => {
          const isCaller = spots.some(({ line, lastLine }) => line <= test.lastLine && lastLine >= test.line);
          return { ...test, score: (isCaller ? CALL_SCORE : 0) + share(terms, test.name) };
        })
        .toSorted((one, other) => other.score - one.score || one.line - other.line);
      return { path, score: score + (tests[0]?.score ?? 0), count: all.length, tests, isWhole };
    }),
  );
  const ordered = found.toSorted((one, other) => other.score - one.score || (one.path < other.path ? -1 : 1));
  const values = ordered.slice(0, MAX_TEST_FILES).map(({ path, count, tests, isWhole }) => {
    // All tests of a file are shown if its path names the subject at least in part.
    const proven = tests.filter(({ score }) => score >= MIN_TEST_SCORE);
    const meant = proven.length === 0 && isWhole ? tests : proven;
    const most = found.length <= MAX_FEW_FILES ? MAX_TESTS_OF_FEW_FILES : MAX_NAMED_TESTS;
    const shown = meant.slice(0, most).map(({ name, line }) => `${line} ${name}`);
    const all = meant.length < count ? `${meant.length} of ${count}` : String(count);
    return shown.length === 0 ? path : `${path} (${all}: ${shown.join(", ")})`;
  });
  return { what: "tests", values, more: Math.max(0, found.length - MAX_TEST_FILES) };
}

/** Also calls through a package that exports the name again, which imports do not show. */
async function loadTestCallers(index: CodeIndex, { name, path, ref }: IndexedComponentRow) {
  const visible = (await index.usedBy({ path, ref })).map(({ from }) => from);
  const rows = await index.testCallers(name, MAX_TEST_CALLERS);
  const isShared = (await index.components({ name, most: MAX_SHARED_NAME + 1 })).length > MAX_SHARED_NAME;
  if (!isShared) return rows;
  const known = new Set(visible.map((each) => `${each.path}#${each.ref}`));
  return rows.filter((row) => known.has(`${row.path}#${row.ref}`));
}

const joinLetters = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

const extractNameTerms = (text: string): string[] =>
  splitSearchWords(splitNameParts(text))
    .filter((word) => !isStopWord(word))
    .map(normalizeSearchTerm);
