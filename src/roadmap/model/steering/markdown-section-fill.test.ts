import { expect, test } from "vitest";
import { fillEmptySections } from "./markdown-section.ts";

const RENDERED =
  "# T\n\n## Core\n\n- Go\n\n## Libraries\n\n- <each library>\n\n## Standards\n\n### Types\n\n- Strict\n\n### Tests\n\n- go test\n";

test.each([
  ["what is blank is filled", RENDERED.replace("- Go", "- <the language>"), RENDERED],
  ["what somebody wrote stays", RENDERED.replace("- Go", "- Zig"), RENDERED.replace("- Go", "- Zig")],
  [
    "what is missing is added where it belongs",
    "# T\n\n## Standards\n\nMine.\n\n### Types\n\n- Loose\n\n## End\n",
    "# T\n\n## Standards\n\nMine.\n\n### Types\n\n- Loose\n\n### Tests\n\n- go test\n\n## End\n\n## Core\n\n- Go\n",
  ],
  [
    "with the heading that it stands under",
    "# T\n\n## Core\n\n- Go\n",
    "# T\n\n## Core\n\n- Go\n\n## Standards\n\n### Types\n\n- Strict\n\n### Tests\n\n- go test\n",
  ],
])("%s", (_, text, expected) => {
  const filled = fillEmptySections(text, RENDERED);
  expect(filled).toBe(expected);
  expect(fillEmptySections(filled, RENDERED)).toBe(filled);
});
