import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import {
  applyYamlEdit,
  type YamlEdit,
  type LocatedNode,
  type YamlPath,
  type YamlValue,
  convertYamlValue,
} from "#kernel/model/yaml-tree.ts";
import { readSpecTree } from "#planning/model/spec/spec-reader.ts";
import { renderTemplate } from "#kernel/model/template.ts";
import { parseWorkflowId } from "#kernel/model/workflow-id.ts";
import { rewriteSpecText } from "#planning/operations/spec/spec-files.ts";
import { isFull } from "../kit/chance.ts";

const VALUES = { id: "AUTH-001", title: '"A title"', summary: '"A summary of it"', timebox: "2h", at: '"2026-01-31"' };
const TEMPLATES = ["feature", "bugfix", "research"].map((kind) =>
  renderTemplate(fs.readFileSync(`assets/templates/spec/${kind}.yaml`, "utf8"), VALUES),
);

/** Nothing in these texts has the sign that begins a comment, but comments. */
const listComments = (text: string): string[] =>
  [...text.matchAll(/#[^\n]*/g)].map(([comment]) => comment.trimEnd()).toSorted();

interface Found {
  readonly place: YamlPath;
  readonly node: LocatedNode;
}

function* parts(node: LocatedNode, place: YamlPath = []): Generator<Found> {
  yield { place, node };
  if (node.kind === "sequence") for (const [i, item] of node.items.entries()) yield* parts(item, [...place, i]);
  if (node.kind === "mapping") for (const { key, value } of node.entries) yield* parts(value, [...place, key]);
}

const PLAIN: fc.Arbitrary<YamlValue> = fc.constantFrom<YamlValue[]>(
  "word",
  "two words",
  "a: b, [c] {d} 'e'",
  "two\nlines",
  "",
  "…",
  "null",
  3,
  true,
  null,
  ["x", "y z"],
  [],
  { k: "v", l: ["m", { n: 1 }] },
  {},
);

/** Those that leave every comment; what is removed goes with what was said of it. */
type Kind = Exclude<YamlEdit["kind"], "remove">;

/** An edit that can be made there, chosen by numbers. */
function chosen(root: LocatedNode, kind: Kind, at: number, value: YamlValue): YamlEdit | undefined {
  const all = [...parts(root)];
  const pick = (fits: (found: Found) => boolean): YamlPath | undefined => {
    const some = all.filter(fits);
    return some[at % Math.max(1, some.length)]?.place;
  };
  const isEntry = ({ place }: Found): boolean => typeof place.at(-1) === "string";
  const place = pick(
    kind === "insert"
      ? ({ node }) => node.kind === "mapping"
      : kind === "replace"
        ? (found) => found.place.length > 0
        : isEntry,
  );
  if (!place) return undefined;
  if (kind === "rename") return { kind, at: place, to: "renamed_key" };
  if (kind === "replace") return { kind, at: place, value };
  if (kind === "insert") return { kind, at: place, key: "fresh_key", value, isFirst: at % 2 === 0 };
  const isInList = place.some((step) => typeof step === "number");
  return isInList ? undefined : { kind, from: place, to: at % 3 === 0 ? ["made_key", "moved_key"] : ["moved_key"] };
}

test("edits any shipped template as requested, and keeps comments", () => {
  const kinds = fc.constantFrom<Kind[]>("rename", "replace", "insert", "move");
  fc.assert(
    fc.property(fc.constantFrom(...TEMPLATES), kinds, fc.nat({ max: 500 }), PLAIN, (text, kind, at, value) => {
      const { tree } = yamlAdapter.read(text);
      const edit = tree && chosen(tree, kind, at, value);
      if (!tree || !edit) return;
      const edited = yamlAdapter.edit(text, [edit]);
      const after = yamlAdapter.read(edited);
      expect([edit, after.problems, after.tree && convertYamlValue(after.tree)]).toEqual([
        edit,
        [],
        convertYamlValue(applyYamlEdit(tree, edit)),
      ]);
      expect(listComments(edited)).toEqual(listComments(text));
    }),
    { numRuns: isFull ? 5_000 : 200 },
  );
});

const WORDS = fc.constantFrom(
  "x",
  "As a r, I want f, so that b",
  "Given a, When b, Then c",
  "none: no reason",
  "Draft",
  "2h",
  "a: b",
);
const LEAVES = fc.oneof(WORDS, fc.constantFrom<YamlValue[]>(1, true, null));
const NAMES =
  "id spec_id title description summary status severity created updated_at requirements design user-stories acceptance-criteria acs criterion given when testable notes success-criteria api_contracts none test-scenarios covers risks risk symptom investigation reproduction root_cause fix_approach changes file regression_tests acceptance_criteria options name pros matrix criteria weight scores recommendation decision metadata trace traces code tests".split(
    " ",
  );
const SPECS = fc.letrec<{ tree: YamlValue; map: YamlValue }>((tie) => ({
  tree: fc.oneof({ depthSize: "small" }, LEAVES, fc.array(tie("tree"), { maxLength: 3 }), tie("map")),
  map: fc.dictionary(fc.constantFrom(...NAMES), tie("tree"), { minKeys: 1, maxKeys: 6, noNullPrototype: true }),
}));

/** The document in one of the ways to write it, with comments behind and between its lines. */
function formatYaml(value: YamlValue, isFlow: boolean, every: number): string {
  const options = { lineWidth: 0, blockQuote: false, ...(isFlow ? { collectionStyle: "flow" as const } : {}) };
  return stringify(value, options)
    .trimEnd()
    .split("\n")
    .flatMap((line, i) =>
      i % every === 0 ? [`${/^ */.exec(line)?.[0]}# above ${i}`, `${line} # behind ${i}`] : [line],
    )
    .join("\n")
    .concat("\n");
}

test("rewrites any older form once with the same meaning, and keeps comments", () => {
  const ids = fc.constantFrom("AUTH-001", "BUG-042", "RES-007").map(parseWorkflowId);
  fc.assert(
    fc.property(SPECS.map, fc.boolean(), fc.integer({ min: 1, max: 4 }), ids, (value, isFlow, every, id) => {
      const text = formatYaml(value, isFlow, every);
      const { tree, problems } = yamlAdapter.read(text);
      expect([text, problems]).toEqual([text, []]);
      if (!tree) return;
      const { edits } = readSpecTree(tree, id);
      const rewritten = rewriteSpecText(yamlAdapter, { text, edits });
      if (edits.length === 0 || (isFlow && rewritten === undefined)) return;
      expect([text, listComments(rewritten ?? "")]).toEqual([text, listComments(text)]);
      const again = yamlAdapter.read(rewritten ?? "").tree;
      expect([text, again && readSpecTree(again, id).edits]).toEqual([text, []]);
    }),
    { numRuns: isFull ? 5_000 : 200 },
  );
});
