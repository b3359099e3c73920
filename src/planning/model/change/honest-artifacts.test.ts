import { expect, test } from "vitest";
import type { ChangeStage } from "#kernel/model/stages/change-stages.ts";
import { checkChangeArtifact } from "./change-artifact.ts";

const AROUND = {
  requirements:
    "## Must have\n\n- **FR-001**: The sum shall add.\n- **FR-002**: It shall double.\n- **FR-003**: It shall halve.\n- **FR-004**: It shall round.\n- **NFR-001**: It shall be fast.\n",
  rules: "## Facts\n\n- **BR-001**: A sum has two parts.\n",
  tasks: "- [ ] TASK-001: Add\n- [ ] TASK-002: Test\n",
  adrs: ["ADR-001"],
  nextIds: ["FR-005", "NFR-002", "BR-002"],
};
const evidence = (lines: string): string => `## Evidence\n\n${lines}\n`;
const BOTH = "- TASK-001: `npm test`: exit 0, 3 passed\n- TASK-002: same run";
const context = (findings: string): string => `## Findings\n\n${findings}\n\n## Impact\n\nPatch.\n`;
const spec = (text: string): string => `## Requirements\n\n${text}\n\n## Acceptance criteria\n\n- It works.\n`;
const proposal = (solution: string): string =>
  `## Problem\n\nIt is slow.\n\n## Solution\n\n${solution}\n\n## Out of scope\n\nThe rest.\n\n## Success criteria\n\nFast.\n`;

/** Forms in which honest agents and people write. None of them may be refused. */
const HONEST: readonly (readonly [ChangeStage, string])[] = [
  ["describe", "Announces an id: we will add FR-005.\n"],
  ["describe", "FR-005 will be added later.\n"],
  ["describe", "This change adds FR-005 and touches FR-001.\n"],
  ["describe", "A later change is going to introduce FR-009.\n"],
  ["describe", "We plan to write FR-005 down in the spec.\n"],
  ["describe", "We will add FR-005 to FR-007.\n"],
  ["describe", "Adds the requirements FR-005, FR-006 and NFR-002.\n"],
  ["describe", "FR-005 (new): the list exports CSV. FR-001 stays.\n"],
  ["describe", "The next free id is FR-005; I propose FR-005–FR-006.\n"],
  ["describe", "Exports are out of scope (FR-009).\n"],
  ["tasks", "- TASK-001: Sort (FR-001)\n\nA separate change covers FR-009 to FR-012.\n"],
  ["design", "## Approach\n\nSort in the query; paging (FR-009) is deferred.\n\n## Components\n\n- `a.ts`: sorts\n"],
  ["describe", "Touches FR-001–FR-004.\n"],
  ["describe", "Touches FR-001..FR-004 and NFR-001.\n"],
  ["describe", "Touches FR-001 to FR-004.\n"],
  ["describe", "Touches FR-001-FR-004.\n"],
  ["describe", "Touches FR-001 through FR-003, BR-001.\n"],
  ["describe", "Touches FR-001/FR-002/FR-003.\n"],
  ["describe", "Touches FR-001…FR-004.\n"],
  ["describe", "There is no FR-009 for this yet.\n"],
  ["describe", "Bump lodash from 4.17.20 to 4.17.21 (CVE-2021-23337).\n"],
  ["describe", "Benennt `sum` in `add` um. Das Verhalten bleibt.\n"],
  ["describe", "重命名函数 `sum`，行为不变。\n"],
  ["describe", "Переименовать `sum`, поведение не меняется. ✅\n"],
  ["describe", "Corrige l’arrondi (voir FR-004) 🎉\r\n\r\nRien d’autre.\r\n"],
  ["describe", "| what | where |\n|---|---|\n| typo | README.md |\n"],
  ["propose", proposal("Adds FR-005: exports as CSV.")],
  ["propose", proposal("We will introduce FR-005 and NFR-002.")],
  ["propose", proposal("New requirement FR-005 covers it; FR-001 to FR-003 stay.")],
  ["context-check", context("FR-005 would be new; FR-001 to FR-004 are not affected.")],
  ["context-check", context("None. There is no FR-009 to contradict.")],
  ["context-check", context("- CF-1: The user settled it: FR-002 keeps its text.")],
  ["context-check", context("| fact | answer |\n|---|---|\n| CF-1 | Agreed with Ann, ADR-001 stays. |")],
  ["context-check", context("Keine. Die Änderung betrifft nur `src/add.mjs`.")],
  ["context-check", context("None.\r\n\r\nChecked ADR-001 ✅")],
  ["context-check", "## 1. Findings\n\nNone\n\n## 2. Impact\n\nNon-breaking: minor.\n"],
  ["context-check", "# Context\n\n### Findings\n\nNone.\n\n### Impact\n\nPatch.\n"],
  ["spec", spec("### ADDED\n\n- FR-005: The list shall export CSV.")],
  ["spec", spec("### Added\n\n1. **FR-005**: The list shall export CSV.")],
  ["spec", spec("- FR-001")],
  ["spec", spec("- FR-001 to FR-003 stay as they are.")],
  ["spec", spec("None: the code only has to do what FR-001 says.")],
  ["spec", spec("It adds no requirement: it repairs what FR-001 asks.")],
  ["spec", spec("### MODIFIED\n\n- FR-002: It shall double twice.")],
  ["spec", spec("### REMOVED\n\n- FR-003: Nobody uses it.")],
  ["spec", spec("### ADDED\n\n- **FR-005** (must): Экспорт в CSV.\n- **NFR-002**: 応答は1秒以内。")],
  [
    "spec",
    "## ADDED Requirements\n\n### Requirement: FR-005 Tickets\nThe system SHALL sell a ticket.\n\n#### Scenario: Bought\n- **WHEN** one pays\n- **THEN** it is valid\n",
  ],
  [
    "spec",
    "## RENAMED Requirements\n\n- FROM: `### Requirement: FR-001`\n- TO: `### Requirement: FR-005`\n\n## Acceptance criteria\n\n- It works.\n",
  ],
  ["tasks", "- [ ] TASK-001: Rename `sum` to `add` in `src/add.mjs` (FR-001)\n"],
  ["tasks", "- [x] TASK-001: Done already\n- [ ] TASK-002: The rest\n  Depends on TASK-001\n"],
  ["tasks", "1. **TASK-001** – Delete `legacy/`; FR-001–FR-003 are not affected\n"],
  ["tasks", "| id | task |\n|---|---|\n| TASK-001 | Bump typescript to 5.9 |\n"],
  ["tasks", "## TASK-001: Umbenennen\n\nDateien: `a.ts`, `b.ts`\n"],
  ["tasks", "- TASK-001: Füge Tests hinzu 🧪 (FR-001..FR-002)\r\n- TASK-002: Doku\r\n"],
  [
    "tasks",
    "- [ ] TASK-001: Update `.github/workflows/ci.yml`\n- [ ] TASK-002: Docs\n\nOrder: TASK-001, then TASK-002.\n",
  ],
  ["tasks", "- TASK-001: Move the test of FR-001 to FR-004 into one table\n"],
  ["verify", evidence(BOTH)],
  ["verify", evidence("- TASK-001, TASK-002: `npm test`: exit 0")],
  ["verify", evidence("- [x] TASK-001 ✅ `pytest -q`: 12 passed in 0.3s\n- [x] TASK-002 ✅ 12 passed")],
  [
    "verify",
    evidence(
      "| task | command | result |\n|---|---|---|\n| TASK-001 | `go test ./...` | ok |\n| TASK-002 | same | ok |",
    ),
  ],
  ["verify", evidence("- TASK-001: failed before the fix (exit 1), passes now\n- TASK-002: 4 passed, 0 failed")],
  ["verify", evidence("- TASK-001: `cargo test`: test result: ok. 14 passed; 0 failed; 2 ignored\n- TASK-002: ditto")],
  ["verify", evidence("- TASK-001: Tests 5 passed (5), Failed 0\n- TASK-002: done")],
  [
    "verify",
    evidence("- TASK-001: renamed; `tsc --noEmit`: exit code 0\n- TASK-002: no behaviour changed, 0 failures"),
  ],
  ["verify", evidence("- TASK-001: `npm audit`: found 0 vulnerabilities\n- TASK-002: lockfile updated")],
  ["verify", evidence("- TASK-001: Tests bestanden: 3, fehlgeschlagen: 0\n- TASK-002: erledigt")],
  ["verify", evidence("- TASK-001: 测试全部通过\n- TASK-002: 完成")],
  [
    "verify",
    evidence("- TASK-001: deleted `legacy.js`; `grep -r legacy src` exits with 1, as expected\n- TASK-002: ok"),
  ],
  ["verify", evidence('- TASK-001: the error page says "2 failed logins" now\n- TASK-002: exit 0')],
  ["verify", evidence("- TASK-001: retries after 3 failed attempts, `npm test`: exit 0\n- TASK-002: exit 0")],
  ["verify", evidence("- TASK-001: `npm run lint`: 0 errors, 2 warnings\n- TASK-002: exit 0\n\nKnown gaps: none")],
  ["verify", evidence("- TASK-001: FR-001 to FR-004 are still covered\n- TASK-002: exit 0")],
  ["verify", "## Evidence\r\n\r\n- TASK-001: exit 0\r\n- TASK-002: exit 0\r\n"],
  ["verify", "### 3. Evidence\n\n**TASK-001**\n\n```\n$ npm test\n# pass 3\n# fail 0\n```\n\n**TASK-002**: same\n"],
];

test("the battery has at least sixty forms", () => expect(HONEST.length).toBeGreaterThanOrEqual(60));

test.each(HONEST)("%s accepts %j", (stage, text) => {
  expect(checkChangeArtifact(stage, text, AROUND).problems).toEqual([]);
});

test.each<[ChangeStage, string, string]>([
  ["spec", "## ADDED Requirements\n\n- FR-005: The list shall export CSV.\n", '\\"Acceptance criteria\\" is missing'],
  ["spec", "## ADDED Requirements\n\nSome.\n\n## Acceptance criteria\n\n- It works.\n", "No requirement has an id"],
  ["tasks", "- TASK-001: We will build FR-099\n", "FR-099 refers to nothing"],
  ["tasks", "- TASK-001: Adds FR-099\n", "FR-099 refers to nothing"],
  ["describe", "Breaks FR-099.\n", "FR-099 refers to nothing"],
  ["describe", "Touches FR-001 to FR-099.\n", "FR-099 refers to nothing"],
  ["verify", evidence("- TASK-001: 2 failed attempts in the suite, exit 1\n- TASK-002: exit 0"), "reports a failure"],
])("%s rejects %j", (stage, text, problem) => {
  expect(JSON.stringify(checkChangeArtifact(stage, text, AROUND).problems)).toContain(problem);
});
