import { expect, test } from "vitest";
import {
  createArtifactTemplate,
  extractGuideSkeleton,
  isUntouchedTemplate,
  stripTemplateMark,
} from "./artifact-template.ts";

const TEMPLATE = createArtifactTemplate("## Findings\n\n- <path>: <statement>\n");

test.each([
  ["as it was created", TEMPLATE, true],
  ["saved with other line endings", TEMPLATE.replaceAll("\n", "\r\n"), true],
  ["without its last line break", TEMPLATE.trimEnd(), true],
  ["with a line filled in", TEMPLATE.replace("<path>", "src/a.ts"), false],
  ["with a line more", `${TEMPLATE}\nNone.\n`, false],
  ["without its mark", stripTemplateMark(TEMPLATE), false],
  ["that Tenon never wrote", "Searching for nothing crashes.\n", false],
])("a template %s is untouched: %j", (_, text, isUntouched) => {
  expect(isUntouchedTemplate(text)).toBe(isUntouched);
});

test("gives a skeleton in the form of the guide, or with the project's own headings", () => {
  const guide = "# Stage\n\n```markdown\n## Findings\n\n<…>\n```\n\nGood: a.\n";
  expect(extractGuideSkeleton(guide)).toBe("## Findings\n\n<…>\n");
  expect(extractGuideSkeleton(guide, ["Risks", "Plan"])).toBe("## Risks\n\n<…>\n\n## Plan\n\n<…>");
});
