import { expect, test } from "vitest";
import { fillEmptySections } from "./markdown-section.ts";

const RENDERED =
  "# T\n\n## Core\n\n- Go\n\n## Libraries\n\n- <each library>\n\n## Standards\n\n### Types\n\n- Strict\n\n### Tests\n\n- go test\n";

test.each([
  ["fills an empty section", RENDERED.replace("- Go", "- <the language>"), RENDERED],
  ["keeps a section that a person wrote", RENDERED.replace("- Go", "- Zig"), RENDERED.replace("- Go", "- Zig")],
  [
    "adds a missing section in its place",
    "# T\n\n## Standards\n\nMine.\n\n### Types\n\n- Loose\n\n## End\n",
    "# T\n\n## Standards\n\nMine.\n\n### Types\n\n- Loose\n\n### Tests\n\n- go test\n\n## End\n\n## Core\n\n- Go\n",
  ],
  [
    "adds a missing section with its parent heading",
    "# T\n\n## Core\n\n- Go\n",
    "# T\n\n## Core\n\n- Go\n\n## Standards\n\n### Types\n\n- Strict\n\n### Tests\n\n- go test\n",
  ],
])("%s", (_, text, expected) => {
  const filled = fillEmptySections(text, RENDERED);
  expect(filled).toBe(expected);
  expect(fillEmptySections(filled, RENDERED)).toBe(filled);
});
