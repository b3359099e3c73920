import { expect, test } from "vitest";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { feature, group } from "../kit/features.ts";
import { updateTaskStatuses } from "#roadmap/operations/lead/write-lead.ts";

const TASKS = `# Made from the design.
tasks:
  - id: "1" # the first
    summary: Login
    status: pending
    subtasks:
      - { id: "1.1", summary: Names, status: pending }
      # Later.
      - id: 1.10
        summary: Sessions
  - id: "2"
    summary: Together
    status: done
execution: []
`;

const record = (statuses: Readonly<Record<string, "pending" | "done">>) => ({
  ...feature("user-login", {
    implementation: {
      groups: Object.entries(statuses).map(([task, status]) => group(`G${task}`, [], { tasks: [task], status })),
    },
  }),
});

test.each<[what: string, statuses: Record<string, "pending" | "done">, said: Record<string, string>]>([
  ["an unknown task", {}, {}],
  ["a part", { "1.1": "done", "1.10": "pending", "2": "done" }, { "Names, status: pending": "Names, status: done" }],
  [
    "all parts and their container",
    { "1.1": "done", "1.10": "done" },
    {
      "Names, status: pending": "Names, status: done",
      "Login\n    status: pending": "Login\n    status: done",
      "summary: Sessions\n": "summary: Sessions\n        status: done\n",
    },
  ],
  ["a task to repeat", { "2": "pending" }, { "Together\n    status: done": "Together\n    status: pending" }],
])("marks %s and nothing else", (_, statuses, said) => {
  const marked = updateTaskStatuses(yamlAdapter, TASKS, record(statuses));
  const expected = Object.entries(said).reduce((text, [from, to]) => text.replace(from, to), TASKS);
  const withPending =
    statuses["1.10"] === "pending" ? expected.replace("Sessions\n", "Sessions\n        status: pending\n") : expected;
  expect(marked).toBe(withPending);
});

test.each(["", "tasks: none\n", "- a\n", "tasks:\n  - 1\n", ":\n :x["])(
  "does not change an invalid plan: %j",
  (text) => {
    expect(updateTaskStatuses(yamlAdapter, text, record({ "1": "done" }))).toBe(text);
  },
);
