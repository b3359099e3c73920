import { expect, test } from "vitest";
import { extractHeldText } from "./held-artifacts.ts";

const TASKS = "- [ ] TASK-001: Sort the list\n- [ ] TASK-002: Name the order\n";

test.each([
  ["boxes are ticked", TASKS.replaceAll("[ ]", "[x]")],
  ["notes are added", `# Tasks\n\n${TASKS}  Done in src/sort.ts\n\nBoth are done.\n`],
  ["a formatter changes marks and line ends", TASKS.replaceAll("- ", "* ").replaceAll("\n", "\r\n")],
])("treats the tasks as the same if %s", (_, text) => {
  expect(extractHeldText("tasks", text)).toBe(extractHeldText("tasks", TASKS));
});

test.each([
  ["a task was removed", TASKS.split("\n", 1).join()],
  ["the text of a task was shortened", TASKS.replace("Sort the list", "Sort")],
])("treats the tasks as changed if %s", (_, text) => {
  expect(extractHeldText("tasks", text)).not.toBe(extractHeldText("tasks", TASKS));
});

test("treats a spec as changed for a changed limit, and as the same for changed line breaks", () => {
  const spec = "- FR-001: A list shall take at most 200 ms for 1,000 notes.\n";
  expect(extractHeldText("spec", spec.replace("200", "900"))).not.toBe(extractHeldText("spec", spec));
  expect(extractHeldText("spec", spec.replace(" for ", "\n  for "))).toBe(extractHeldText("spec", spec));
});
