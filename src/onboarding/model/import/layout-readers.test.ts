import fc from "fast-check";
import { expect, test } from "vitest";
import { readLayout, type LayoutContents, type LayoutFile } from "./import-source.ts";
import { LAYOUT_READERS } from "./layout-readers.ts";

/** Files that a reader knows by their names, and some that it does not. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  hoofy: [
    "sdd.json",
    "requirements.md",
    "validation.md",
    "changes/a/change.json",
    "changes/a/describe.md",
    "adrs/001-x.md",
  ],
  "spec-drive": [
    "specs/AUTH-001.yaml",
    "specs/x.yaml",
    "config.yaml",
    "development/adr/ADR-0001.md",
    "logs/a.log",
    "notes.md",
  ],
  "sync-sdd": [
    "project/specs/a/spec.yaml",
    "project/specs/a/design.md",
    "project/specs/b/tasks.yaml",
    "handover/decisions.md",
    "project/knowledge/pattern-api-x.md",
    "settings/a.md",
  ],
  "spec-kit": ["001-a/spec.md", "001-a/plan.md", "002-b/tasks.md", "001-a/contracts/x.yaml"],
  openspec: [
    "specs/a/spec.md",
    "specs/x/y/spec.md",
    "changes/c/proposal.md",
    "changes/c/design.md",
    "changes/c/tasks.md",
    "changes/c/specs/a/spec.md",
    "changes/c/.openspec.yaml",
    "changes/e/.openspec.yaml",
    "specs/.gitkeep",
    "changes/archive/2026-01-01-d/proposal.md",
    "AGENTS.md",
  ],
  kiro: ["specs/a/requirements.md", "specs/a/design.md", "specs/b/spec.json", "steering/product.md", "settings/x.json"],
};

const FOLDERS: Readonly<Record<string, string>> = { "sync-sdd": ".claude/sdd", "spec-kit": "specs" };

/** Pieces of which real documents are made, in any order. */
const PIECE = fc.oneof(
  fc.constantFrom(
    "# Title",
    "## Purpose",
    "## Requirements",
    "### Requirement: A",
    "### Requirement 1",
    "#### Scenario: B",
    "## ADDED Requirements",
    "## RENAMED Requirements",
    "- FROM: `### Requirement: A`",
    "**Non-Goals:**",
    "- [ ] 1.1 Do it",
    "#### Acceptance Criteria",
    "### User Story 1 - C (Priority: P1)",
    "1. WHEN a THEN b",
    "- **FR-001**: System MUST",
    "- **WHEN** x",
    "- **THEN** y",
    "**User Story:** As a user, I want x, so that y",
    "**Status**: accepted",
    "## Decision",
    "```",
    "<!--",
    "---",
    "[2026-01-01] D1: USER_DECISION | x",
    '{"description":"x","status":"active"}',
    "",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);

const TEXT = fc.array(PIECE, { maxLength: 25 }).map((pieces) => pieces.join("\n"));

/** Every file that is spoken of. */
function accounted({ items, left }: LayoutContents, paths: readonly string[]): string[] {
  const taken = items.flatMap((item) => [
    item.from,
    ...(item.kind === "feature" || item.kind === "change" ? item.parts.map(({ from }) => from) : []),
  ]);
  const dropped = left.flatMap(({ path }) =>
    path.endsWith("/") ? paths.filter((each) => each.startsWith(path)) : [path],
  );
  return [...new Set(taken), ...dropped].toSorted();
}

test.each(LAYOUT_READERS)("$layout: lists each file once, for any content", (reader) => {
  const folder = FOLDERS[reader.layout] ?? reader.folders[0];
  const paths = (NAMES[reader.layout] ?? []).map((name) => `${folder}/${name}`);
  expect(paths.filter((path) => !reader.isOwn(path))).toEqual([]);
  fc.assert(
    fc.property(fc.array(TEXT, { minLength: paths.length, maxLength: paths.length }), (texts) => {
      const files = paths.map((path, i): LayoutFile => ({ path, text: texts[i] ?? "" }));
      expect(accounted(readLayout(reader, files), paths)).toEqual(paths.toSorted());
    }),
    { numRuns: 150 },
  );
});

test.each(LAYOUT_READERS)("$layout: reads a crafted file in a short time", (reader) => {
  const folder = FOLDERS[reader.layout] ?? reader.folders[0];
  const paths = (NAMES[reader.layout] ?? []).map((name) => `${folder}/${name}`);
  const hostile = [
    "\n".repeat(200_000),
    "*".repeat(200_000),
    "<!--".repeat(50_000),
    "# a\n".repeat(50_000),
    "when,".repeat(50_000),
  ];
  for (const text of hostile) {
    const found = readLayout(
      reader,
      paths.map((path) => ({ path, text })),
    );
    expect(accounted(found, paths)).toEqual(paths.toSorted());
  }
});

test.each([
  [".spec-drive/specs/AUTH-001.yaml", "id: AUTH-001\n", "AUTH-001", "id: AUTH-001\n"],
  [
    ".spec-drive/specs/SPEC-AUTH-001.yaml",
    "spec_id: SPEC-AUTH-001\ntitle: Log in\n",
    "AUTH-001",
    "spec_id: AUTH-001\ntitle: Log in\n",
  ],
  [".spec-drive/specs/SPEC-001.yaml", "id: SPEC-001\n", "SPEC-001", "id: SPEC-001\n"],
])("keeps the id of the spec-drive spec %s", (path, text, id, expected) => {
  const reader = LAYOUT_READERS.find(({ layout }) => layout === "spec-drive");
  const { items } = reader ? readLayout(reader, [{ path, text }]) : { items: [] };
  expect(items).toEqual([{ kind: "spec-file", from: path, id, text: expected }]);
});
