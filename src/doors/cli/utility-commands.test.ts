import { expect, test } from "vitest";
import { translateQueueCommand } from "./utility-commands.ts";

const words = (line: string): readonly string[] | undefined => translateQueueCommand(line.split(" "));

test.each([
  ["queue", "workflow status"],
  ["queue --json", "workflow status --json"],
  ["queue list --all", "workflow status --all"],
  ["queue add UI-001 feature 4", "feature --description UI-001 --id UI-001 --priority 4"],
  ["queue add UI-001 bugfix 4 Menus --json", "bugfix --description Menus --id UI-001 --priority 4 --json"],
  ["queue add RES-001 research 4 Menus", "research --description Menus --id RES-001 --priority 4"],
  ["queue add UI-001 feature -1", "feature --description UI-001 --id UI-001 --priority -1"],
  ["queue remove UI-001 --reason Done", "workflow abandon UI-001 --reason Done"],
  ["queue prioritize UI-001 2", "workflow prioritize UI-001 2"],
])("%s is %s", (line, same) => {
  expect(words(line)?.join(" ")).toBe(same);
});

test.each(["queue --help", "queue -h", "queue add --help", "queue remove UI-001 --help", "queue nonsense --help"])(
  "%s asks for help",
  (line) => {
    expect(words(line)).toBeUndefined();
  },
);

test.each([
  ["queue add", "Missing argument `<id>`."],
  ["queue add UI-001", "Missing argument `<kind>`."],
  ["queue add UI-001 chore 3", '"chore" is not a kind: choose feature, bugfix or research.'],
  ["queue add UI-001 feature", "Missing argument `<priority>`."],
  ["queue remove", "Missing argument `<id>`."],
  ["queue remove --reason Done", "Missing argument `<id>`."],
  ["queue prioritize", "Missing argument `<id>`."],
  ["queue prioritize UI-001", "Missing argument `<priority>`."],
])("%s: %s", (line, why) => {
  const verb = line.split(" ")[1] ?? "";
  expect(() => words(line)).toThrow(
    expect.objectContaining({
      code: "usage.unknown-command",
      what: `tenon queue ${verb} was not run.`,
      why,
      fixes: [expect.stringMatching(`^tenon queue ${verb} AUTH-001[^|<]*$`), "tenon queue --help"],
    }),
  );
});

test("prints one line for each known word after an unknown one", () => {
  expect(() => words("queue ad")).toThrow(
    expect.objectContaining({
      why: "Choose one of list, add, remove, prioritize.",
      fixes: [
        "tenon queue list",
        'tenon queue add AUTH-001 feature 3 "Login with a second factor"',
        "tenon queue remove AUTH-001",
        "tenon queue prioritize AUTH-001 1",
      ],
    }),
  );
});
