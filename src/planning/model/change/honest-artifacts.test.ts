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
  ["verify", evidence("- TASK-001: ✅ `npm test` → exit 0 (14 passed)\n- TASK-002: ✅ same")],
  ["verify", evidence("- TASK-001: `npm test` exit code: 0, PASS\n- TASK-002: PASS")],
  ["verify", evidence("- TASK-001: without the fix 1 failing, with it 14 passing\n- TASK-002: 0 failing")],
  ["verify", evidence("- TASK-001: RED: 1 failed → GREEN: 14 passed\n- TASK-002: no failures")],
  ["verify", evidence("- TASK-001: 14/14 passed, 0 errors\n- TASK-002: ok\n- Left open: nothing")],
  ["verify", evidence("- TASK-001: `npm test`: exit status 0\n- TASK-002: `npm run lint`: no errors\n\nResult: PASS")],
  [
    "verify",
    evidence("- TASK-001: `pytest`: 1 failed, 3 passed when src is stashed; 4 passed with it\n- TASK-002: ok"),
  ],
  [
    "verify",
    evidence("- TASK-001: failed against the old implementation (1 failed) and passes now (4 passed)\n- TASK-002: ok"),
  ],
  [
    "verify",
    evidence("- TASK-001: I removed the change and ran `npm test`: exit 1. I restored it: exit 0\n- TASK-002: ok"),
  ],
  ["verify", evidence("- TASK-001: `npm test`: exit 0\n  - before: 1 failed\n  - after: 4 passed\n- TASK-002: ok")],
  ["verify", evidence("- TASK-001: flipping the condition makes 1 test fail, as expected\n- TASK-002: exit 0")],
  ["verify", evidence("- TASK-001: `npm test`: exit 0, 4 passed, 1 skipped (needs network)\n- TASK-002: exit 0")],
  [
    "verify",
    evidence("| task | before | after |\n|---|---|---|\n| TASK-001 | 1 failed | 4 passed |\n| TASK-002 | – | ok |"),
  ],
  ["verify", evidence("### TASK-001\n\nCommand: `npm test`\nExit: 0\n\n### TASK-002\n\nCommand: `npm test`\nExit: 0")],
  ["verify", evidence("- TASK-001 / TASK-002: `npm test`: exit 0\n- Left open: FR-009 (a later change)")],
  [
    "verify",
    evidence(
      "- TASK-001: handles the case that the upload fails; exit 0\n- TASK-002: returns exit code 2 for a wrong flag, `npm test`: exit 0",
    ),
  ],
  ["verify", evidence("- TASK-001: `tenon` now exits with 1 for a missing file; tests: 4 passed\n- TASK-002: exit 0")],
  ["verify", evidence("- TASK-001: 2 failed on main too, mine: 4 passed\n- TASK-002: ok")],
  [
    "verify",
    evidence("1. TASK-001 – `cargo test` – exit 0 – 14 passed; 0 failed\n2. TASK-002 – docs only, nothing to run"),
  ],
  [
    "verify",
    evidence("* **TASK-001** `go test ./...`: ok (cached)\n* **TASK-002** manual: opened the page, it shows 3 rows"),
  ],
  ["verify", evidence("- TASK-001: Ran `npm test`. All 14 tests pass. None fail.\n- TASK-002: no test fails")],
  ["verify", evidence("- TASK-001: reverted fix: exit 1 (1 failed). Fix applied: exit 0 (14 passed).\n- TASK-002: ok")],
  [
    "verify",
    evidence(
      "- TASK-001: test seen to fail first (exit 1), then `npm test`: exit 0\n- TASK-002: ok\n- Not done: nothing",
    ),
  ],
  ["verify", evidence("- TASK-001: not run: only the README changed\n- TASK-002: 14 passed, 1 skipped")],
  ["verify", evidence("- TASK-001: todo list sorts, exit 0\n- TASK-002: the to-do page loads, exit 0")],
  ["describe", "**Now:** the list is unsorted.\n**Wanted:** sorted (FR-001).\n**Limits:** API stays.\n"],
  ["describe", "See issue #42. Error: `TypeError: x is undefined` at src/a.js:12.\n"],
  ["describe", "Follows ADR-001 and RFC-7231; ISO-8601 dates; UTF-8; SHA-256.\n"],
  ["describe", "```\nTypeError: FR-099 is not defined\n```\nThe log above should not appear.\n"],
  ["scope", "## In Scope\n\n- `a.js`: split\n\n## Out of Scope:\n\n- The API\n"],
  ["scope", "## 1) In scope\n\n`a.js`\n\n## 2) Out of scope\n\nNothing else\n"],
  ["scope", "## In scope\n\n### Code\n\n- a.js\n\n## Out of scope\n\n### Interfaces\n\n- total()\n"],
  [
    "propose",
    "# Proposal\n\n## The problem\n\nP\n\n## Solution: sort\n\nS\n\n## Out-of-scope\n\nx\n\n## Success Criteria (measurable)\n\ny\n",
  ],
  ["propose", "## 🎯 Problem\n\nP\n\n## 💡 Solution\n\nS\n\n## 🚫 Out of scope\n\nx\n\n## ✅ Success criteria\n\ny\n"],
  ["clarify", "## Questions\n\n1. May a guest export? (FR-003)\n   Answer: no, 403.\n   Effect: none\n"],
  ["clarify", "## Open questions\n\nNone. I read it as a tester, an attacker and an operator: limits, errors.\n"],
  ["clarify", "## Questions and answers\n\nQ: Who?\nA: All.\n"],
  [
    "design",
    "## Approach\n\nSort.\n\n## Components\n\n| file | duty | ids |\n|---|---|---|\n| `a.js` | sorts | FR-001, FR-002 |\n",
  ],
  [
    "design",
    "## Approach\n\nADR-001 holds.\n\n### Data flow\n\nx\n\n## Components\n\n### `a.js`\n\nSorts (FR-001–FR-004, NFR-001).\n",
  ],
  [
    "design",
    "# Design\n\n## The approach\n\nSort.\n\n## Components & responsibilities\n\n- `a.js` (new): sorts (FR-001)\n",
  ],
  [
    "context-check",
    "## Findings\n\n- **CF-1**: agreed.\n- src/a.js: agrees\n- Asked: keep? Answer: yes\n\n## Impact\n\n**non-breaking**: adds only\n",
  ],
  [
    "context-check",
    "## Findings:\n\nChecked requirements.md, rules; nothing contradicts.\n\n## Impact analysis\n\nPatch: nobody notices\n",
  ],
  ["context-check", "## 🔎 Findings\n\nNone.\n\n## 💥 Impact\n\nBreaking: 2 tests\n"],
];

test("the battery has at least a hundred forms", () => expect(HONEST.length).toBeGreaterThanOrEqual(100));

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
  ["verify", evidence("- TASK-001: skipped, a later change does it\n- TASK-002: exit 0"), "reports a failure"],
  ["verify", evidence("- TASK-001: not run\n- TASK-002: exit 0"), "reports a failure"],
  ["verify", evidence("| TASK-001 | 4 passed | 1 failed |\n| TASK-002 | | ok |"), "reports a failure"],
])("%s rejects %j", (stage, text, problem) => {
  expect(JSON.stringify(checkChangeArtifact(stage, text, AROUND).problems)).toContain(problem);
});
