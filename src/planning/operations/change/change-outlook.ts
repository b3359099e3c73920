import { rateDefinition, extractCodeReferences } from "../../model/change/code-references.ts";
import { type ChangeOutlook, isLockFile, parseSetupFilePaths } from "../../model/change/change-size.ts";
import {
  collectIdentifierTerms,
  dropIncidentalMatches,
  extractDistinctiveTerms,
  rankItemsByTerms,
  stripDraftPhrases,
  type TermIndexedItem,
} from "../../model/change/distinctive-terms.ts";
import { isProsePath } from "../../model/context/code-mention-search.ts";
import { listLiveRequirements, listLiveRules } from "../../model/project/project-document.ts";
import { isTestPath } from "#code/model/scan/test-files.ts";
import type { SourceFile } from "#git/operations/ports/git-files.ts";
import { type DefinedItem, listMentionedIds } from "#kernel/model/document/id-references.ts";
import { parseProseLines } from "#kernel/model/document/markdown-document.ts";
import { formatCount, sanitizeText } from "#kernel/model/text-format.ts";
import { BUSINESS_RULES_PATH, REQUIREMENTS_PATH, SETUP_MANIFEST_PATH } from "#kernel/model/workspace-paths.ts";
import type { PlanningEngine } from "../engine.ts";

/** Files beyond these limits are compared by name only. */
const MAX_COMPARED_FILES = 3_000;
const MAX_COMPARED_FILE_BYTES = 64 * 1024;
const MAX_COMPARED_BYTES = 4 * 1024 * 1024;
const MAX_NAMED_FILES = 5;

type OutlookEngine = Pick<PlanningEngine, "source" | "store">;

/** The files that define the named code, else those with its rarer words. `unmeasured`: what was not compared. */
export async function measureChangeOutlook(engine: OutlookEngine, description: string) {
  const asked = extractDistinctiveTerms(description);
  const installed = await engine.store.read((tree) => parseSetupFilePaths(tree.text(SETUP_MANIFEST_PATH)));
  const files = (await engine.source.files()).filter(({ path }) => !isLockFile(path) && !installed.has(path));
  const names = extractCodeReferences(description);
  const { spoken, unread, defined } = await indexSourceFiles(engine, files, asked, names);
  const touched = defined.length > 0 ? defined : selectLikelyFiles(asked, spoken);
  const [books, rules] = await engine.store.read((tree) => [
    tree.text(REQUIREMENTS_PATH),
    tree.text(BUSINESS_RULES_PATH),
  ]);
  const hasItems = books !== undefined || rules !== undefined;
  const items = [...listLiveRequirements(books ?? ""), ...listLiveRules(rules ?? "")];
  const words = [...new Set(touched.flatMap(({ terms }) => terms))].map((term) => asked.get(term) ?? term);
  const outlook: ChangeOutlook = {
    ...(files.length > 0
      ? {
          files: {
            count: touched.length,
            best: touched.slice(0, MAX_NAMED_FILES).map(({ item }) => sanitizeText(item)),
            words: words.slice(0, MAX_NAMED_FILES),
            isDefined: defined.length > 0,
          },
        }
      : {}),
    ...(hasItems ? { requirements: listTouchedItems(description, asked, items) } : {}),
  };
  const unmeasured = [
    ...(files.length === 0 ? ["There are no files to compare."] : []),
    ...(asked.size === 0 ? ["Its words are too general to find related files."] : []),
    ...(unread > 0 ? [`Compared by name only: ${unread} of ${formatCount(files.length, "file")}.`] : []),
    ...(hasItems ? [] : ["There are no requirements or rules to compare."]),
  ];
  return { outlook, unmeasured };
}

/** Tests and prose follow the code. They count only if no code matches. */
function selectLikelyFiles(asked: ReadonlyMap<string, string>, spoken: readonly TermIndexedItem<string>[]) {
  const matched = dropIncidentalMatches(asked.size, rankItemsByTerms(asked.keys(), spoken));
  const code = matched.filter(({ item }) => isCodePath(item));
  return code.length > 0 ? code : matched;
}

const isCodePath = (path: string): boolean => !isTestPath(path) && !isProsePath(path);

interface FoundDefinition {
  readonly path: string;
  readonly name: string;
  readonly certainty: number;
}

/** Each file that defines a named piece of code. A sure definition rules out less sure ones of the same name. */
function listDefiningFiles(found: readonly FoundDefinition[]) {
  const best = Map.groupBy(found, ({ name }) => name);
  const sure = [...best.values()].flatMap((all) => {
    const most = Math.max(...all.map(({ certainty }) => certainty));
    return all.filter(({ certainty }) => certainty === most);
  });
  const byPath = Map.groupBy(sure, ({ path }) => path);
  return [...byPath].map(([item, all]) => ({ item, terms: all.map(({ name }) => name) }));
}

async function indexSourceFiles(
  { source }: OutlookEngine,
  files: readonly SourceFile[],
  asked: ReadonlyMap<string, string>,
  names: readonly string[],
): Promise<{ spoken: TermIndexedItem<string>[]; unread: number; defined: ReturnType<typeof listDefiningFiles> }> {
  const named = files.map(({ path, bytes }) => ({ path, bytes, name: collectIdentifierTerms(path) }));
  const isNamed = ({ name }: { name: ReadonlySet<string> }): boolean =>
    [...asked.keys()].some((term) => name.has(term));
  const inOrder = [...named.filter(isNamed), ...named.filter((file) => !isNamed(file))];
  const spoken: TermIndexedItem<string>[] = [];
  const defined: FoundDefinition[] = [];
  let [read, left, unread] = [0, MAX_COMPARED_BYTES, 0];
  for (const { path, bytes, name } of inOrder) {
    const isRead = asked.size > 0 && read < MAX_COMPARED_FILES && bytes <= Math.min(left, MAX_COMPARED_FILE_BYTES);
    const text = isRead ? await source.text(path, MAX_COMPARED_FILE_BYTES) : undefined;
    if (isRead) [read, left] = [read + 1, left - bytes];
    else unread++;
    for (const each of isCodePath(path) ? names : []) {
      const certainty = rateDefinition(path, text ?? "", each);
      if (certainty > 0) defined.push({ path, name: each, certainty });
    }
    spoken.push({ item: path, name, text: text === undefined ? new Set() : collectIdentifierTerms(text) });
  }
  return { spoken, unread: asked.size > 0 ? unread : 0, defined: listDefiningFiles(defined) };
}

function listTouchedItems(description: string, asked: ReadonlyMap<string, string>, items: readonly DefinedItem[]) {
  const named = listMentionedIds(parseProseLines(description), "requirement", "rule");
  const spoken = items.map(({ id, text }) => ({
    item: id,
    name: new Set<string>(),
    text: collectIdentifierTerms(stripDraftPhrases(text)),
  }));
  const known = items.filter(({ id }) => named.includes(id)).map(({ id }) => id);
  return [...new Set([...known, ...rankItemsByTerms(asked.keys(), spoken).map(({ item }) => item)])];
}
