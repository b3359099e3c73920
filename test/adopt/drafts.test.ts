import fs from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { draftAdoptionDocuments } from "#planning/model/adopt/document-drafts.ts";
import { listFindingLinks, formatFindingLink } from "#code/model/survey/code-finding.ts";
import {
  parseBusinessConstraints,
  parseTermDefinitions,
  parseRequirementItems,
} from "#planning/model/project/requirement-items.ts";
import { parseDesignComponents, deriveCoverageFacts } from "#planning/model/project/design-coverage.ts";
import type { TemporaryFolder } from "../kit/folder.ts";
import { documentIn, DOCUMENTS, fixture, LANGUAGES, run, surveyFolder } from "./repository.ts";

const repositories = new Map<string, TemporaryFolder>();
afterAll(() => {
  for (const repository of repositories.values()) repository[Symbol.dispose]();
});

/** The repository of a language after `tenon adopt`, made once and then only looked at. */
function adopted(name: string): string {
  const known = repositories.get(name);
  if (known) return known.path;
  const repository = fixture(name);
  repositories.set(name, repository);
  const { code, err } = run(repository.path, "adopt", "--write");
  if (code !== 0 || err !== "") throw new Error(err);
  return repository.path;
}

/** The repository of a language after its drafts were accepted. */
function accepted(name: string): string {
  const known = repositories.get(`${name} accepted`);
  if (known) return known.path;
  const repository = fixture(name);
  repositories.set(`${name} accepted`, repository);
  for (const words of [
    ["adopt", "--write"],
    ["adopt", "accept", "--all"],
  ]) {
    const { code, err } = run(repository.path, ...words);
    if (code !== 0 || err !== "") throw new Error(err);
  }
  return repository.path;
}

/** ` (evidence: src/app.ts:12, src/app.ts:15; confidence: high)` at the end of a line. */
const EVIDENCE = / \(evidence: ([^;]+);(?: tests: [^;]+;)? confidence: (high|medium|low)\)$/;
const listLinks = (line: string): string[] => EVIDENCE.exec(line)?.[1]?.split(", ") ?? [];

test.each(LANGUAGES)("%s: drafts all three documents, the same each time", async (name) => {
  const root = adopted(name);
  for (const document of DOCUMENTS) {
    await expect(documentIn(root, document)).toMatchFileSnapshot(`drafts/${name}/${document}`);
  }
  using other = fixture(name);
  run(other.path, "adopt", "--write");
  const both = [root, other.path].map((path) => DOCUMENTS.map((document) => documentIn(path, document)));
  expect(both[0]).toEqual(both[1]);
});

test.each(LANGUAGES)("%s: points each finding to a line that proves it", async (name) => {
  const root = adopted(name);
  const { findings } = await surveyFolder(root);
  const lineAt = (path: string, line: number): string | undefined =>
    fs.readFileSync(join(root, path), "utf8").split("\n")[line - 1];
  const bare = findings.filter(({ path, line, words }) => words === "" || !lineAt(path, line)?.includes(words));
  expect(bare).toEqual([]);
  const nowhere = findings.flatMap(listFindingLinks).filter(({ path, line }) => !lineAt(path, line)?.trim());
  expect(nowhere).toEqual([]);
});

test.each(LANGUAGES)("%s: claims in a draft only what the named lines contain", async (name) => {
  const root = adopted(name);
  const { findings } = await surveyFolder(root);
  const known = new Set(findings.flatMap(listFindingLinks).map(formatFindingLink));
  for (const document of DOCUMENTS) {
    for (const line of documentIn(root, document).split("\n")) {
      const claimed = new Set(listWords(line.replace(EVIDENCE, "")));
      for (const link of listLinks(line)) {
        expect(known).toContain(link);
        const [, path = "", number = "0"] = /^(.*):(\d+)$/.exec(link) ?? [];
        const source = fs.readFileSync(join(root, path), "utf8").split("\n")[Number(number) - 1] ?? "";
        // A file that speaks by being there has its word in its name.
        const said = [...listWords(source), ...listWords(path)].filter((word) => claimed.has(word));
        expect({ line, link, said: said.length > 0 }).toEqual({ line, link, said: true });
      }
    }
  }
});

/** Words as parts of names, in the singular, so that `order_items` and `order item` are alike. */
const listWords = (text: string): string[] =>
  `${text} ${text.replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ")}`
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/s$/, ""))
    .filter((word) => word.length > 0);

test.each(LANGUAGES)("%s: ends every requirement and rule with its evidence and confidence", (name) => {
  const root = adopted(name);
  const texts = [documentIn(root, "requirements.md"), documentIn(root, "business-rules.md")];
  const [assumed = ""] = texts[0]?.split("## Assumptions")[1]?.split("\n## ") ?? [];
  const lines = texts.flatMap((text) => text.replace(assumed, "").split("\n")).filter((line) => line.startsWith("- "));
  expect(lines.filter((line) => !EVIDENCE.test(line))).toEqual([]);
  const placeholders = texts.join("\n").match(/\bTBD\b|\bTODO\b|to be (?:extracted|defined|filled)|<[a-z ]+>/gi);
  expect(placeholders).toBe(null);
});

test.each(LANGUAGES)("%s: writes drafts that the pipeline's parsers read back", (name) => {
  const root = adopted(name);
  const [requirements, rules, design] = DOCUMENTS.map((document) => documentIn(root, document));
  const defined = requirements?.match(/^- \*\*N?FR-\d+\*\*/gm)?.map((start) => start.slice(4, -2));
  expect(parseRequirementItems(requirements ?? "").map(({ id }) => id)).toEqual(defined);
  const constraints = rules?.match(/^- \*\*BR-\d+\*\*/gm)?.map((start) => start.slice(4, -2));
  expect(parseBusinessConstraints(rules ?? "").map(({ id }) => id)).toEqual(constraints);
  expect(
    parseBusinessConstraints(rules ?? "").filter(({ otherwise }) => !otherwise?.startsWith("it is refused")),
  ).toEqual([]);
  const definitions = rules?.split("## Definitions")[1]?.split("## Facts")[0] ?? "";
  expect(parseTermDefinitions(definitions)).toEqual(
    [...definitions.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, term]) => term),
  );
  const components = parseDesignComponents(design ?? "");
  expect(components).toHaveLength(design?.match(/^### /gm)?.length ?? 0);
  // Nothing but tasks is missing: each requirement is carried by a component, and no component by nothing.
  const documents = {
    requirements: parseRequirementItems(requirements ?? ""),
    components,
    rules: [],
    tasks: [],
    broken: [],
    waived: [],
  };
  const { failures, warnings } = deriveCoverageFacts(documents);
  expect([...failures, ...warnings].filter(({ stage }) => stage !== "tasks")).toEqual([]);
});

test.each(LANGUAGES)("%s: passes an audit of the drafts", (name) => {
  const { out } = run(accepted(name), "context", "audit", "--json");
  const { findings } = JSON.parse(out) as { findings: { kind: string }[] };
  expect(findings.filter(({ kind }) => kind !== "mentioned" && kind !== "skipped")).toEqual([]);
});

test.each(LANGUAGES)("%s: passes validate with the drafts", (name) => {
  const root = accepted(name);
  const { code, out } = run(root, "validate", "--json");
  expect([code, JSON.parse(out)]).toMatchObject([0, { passed: true, problems: [] }]);
});

test("designs for the remaining requirements, and recognizes them by their evidence", async () => {
  using repository = fixture("typescript-express");
  const survey = await surveyFolder(repository.path);
  const { requirements } = draftAdoptionDocuments(survey, "shop", undefined);
  // Renumbered, reworded, and one taken out.
  const standing = requirements
    .replace(/FR-(\d+)/g, (_, n: string) => `FR-${Number(n) + 100}`)
    .replace("the system shall create one order", "the shop shall take an order")
    .replace(/^.*DELETE.*\n/m, "");
  const ids = (text: string): string[] => [...new Set(text.match(/\bN?FR-\d+/g))].toSorted();
  expect(ids(draftAdoptionDocuments(survey, "shop", standing).design)).toEqual(ids(standing));
  expect(ids(draftAdoptionDocuments(survey, "shop", "# Requirements\n\nSomebody else's.\n").design)).toEqual([]);
});
