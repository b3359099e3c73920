import fs from "node:fs";
import { expect, test } from "vitest";
import { parseProfileYaml } from "#checking/adapters/stack/stack-survey.ts";
import { yamlAdapter } from "#kernel/adapters/yaml-reader.ts";
import { CHECK_KINDS, listCommandPlaceholders } from "#checking/model/stack/stack-check.ts";
import {
  resolveProfileInheritance,
  BUILT_IN_PROFILES,
  type ProfileSource,
} from "#checking/model/stack/stack-profile.ts";
import { assets, shipped } from "./stand.ts";

test("ships exactly the listed profiles", () => {
  const files = fs.readdirSync("assets/stacks").toSorted();
  expect(files).toEqual(BUILT_IN_PROFILES.map((id) => `${id}.yaml`).toSorted());
});

test.each(BUILT_IN_PROFILES)("%s is valid and complete", async (id) => {
  expect(parseProfileYaml(yamlAdapter, id, await assets.text(`stacks/${id}`)).problems).toEqual([]);
  const profile = shipped.find((one) => one.id === id);
  const lists = (
    ["conventions", "enforcement", "docs", "examples", "test_files", "source_files", "control"] as const
  ).filter((key) => profile?.[key].length === 0);
  expect({
    lists,
    patterns: Object.keys(profile?.patterns ?? {}).length > 0,
    framework: profile?.test_framework,
  }).toEqual({
    lists: [],
    patterns: true,
    framework: expect.stringMatching(/\w/),
  });
  expect(profile?.examples.filter(({ code }) => code.split("\n").length < 4 || code.includes("\0"))).toEqual([]);
  expect(profile?.examples.some(({ code }) => code.includes("@spec "))).toBe(true);
});

test.each(BUILT_IN_PROFILES.filter((id) => id !== "generic"))("%s has a check of each kind, or a substitute", (id) => {
  const profile = shipped.find((one) => one.id === id);
  const lacking = CHECK_KINDS.filter(
    (kind) => !profile?.instead[kind] && !profile?.checks.some((check) => check.kind === kind),
  );
  expect(lacking).toEqual([]);
});

test("every shipped command uses known placeholders and no shell", () => {
  const runs = shipped.flatMap(({ checks }) => checks.flatMap(({ run, fix }) => (fix ? [run, fix] : [run])));
  expect(runs.filter((run) => "shell" in run)).toEqual([]);
  expect(
    runs
      .flatMap(listCommandPlaceholders)
      .filter((blank) => !["report", "coverage", "files", "args", "reporter"].includes(blank)),
  ).toEqual([]);
  expect(runs.filter((run) => "argv" in run && ["npx", "sh", "bash"].includes(run.argv[0] ?? ""))).toEqual([]);
});

const listProblems = (text: string, name = "mine"): readonly string[] =>
  parseProfileYaml(yamlAdapter, name, text).problems;
const check = (more: string): string => `checks:\n  - { kind: test, tool: x, argv: [x]${more} }\n`;

test.each<[string, string, string]>([
  ["an unknown key", "cheks: []", '"cheks" is not a key of a profile'],
  ["a different name than its file", "id: yours", 'id is "yours", but the file is mine.yaml'],
  ["a list of the wrong type", "checks: test", "checks must be a list"],
  ["a check without a kind", "checks:\n  - { tool: x, argv: [x] }", "checks[0].kind is missing"],
  ["an unknown kind", "checks:\n  - { kind: tests, tool: x, argv: [x] }", "checks[0].kind must be one of test, lint"],
  ["neither words nor a line", "checks:\n  - { kind: test, tool: x }", "checks[0] must have either argv or shell"],
  ["both", check(", shell: x"), "checks[0] must have either argv or shell"],
  ["words in one text", "checks:\n  - { kind: test, tool: x, argv: x y }", "checks[0].argv must be a list of texts"],
  ["an unknown placeholder", 'checks:\n  - { kind: test, tool: x, argv: [x, "{home}"] }', "checks[0].argv has {home}"],
  [
    "a placeholder for a program",
    'checks:\n  - { kind: test, tool: x, argv: ["{files}"] }',
    "must begin with the name of a program",
  ],
  ["placeholders in a shell's line", 'checks:\n  - { kind: test, tool: x, shell: "x {report}" }', "TENON_REPORT"],
  ["a report in no file", check(", report: { format: junit-xml }"), "checks[0].argv must say {report} somewhere"],
  [
    "an unknown format",
    check(", report: { format: teamcity, from: output }"),
    "checks[0].report.format must be one of",
  ],
  ["coverage without a format", "checks:\n  - { kind: coverage, tool: x, argv: [x] }", "checks[0].coverage is missing"],
  [
    "a score without a minimum",
    check(", expect: min-score"),
    "checks[0].min_score is needed if expect is min-score, and only then",
  ],
  ["too long a time limit", check(", timeout_s: 100000"), "checks[0].timeout_s must be a number from 1 to 3600"],
  ["a variable that loads programs", check(", variables: { NODE_OPTIONS: x }"), "checks[0].variables may set only CI"],
  ["a fix for all files", check(", fix: { argv: [x, --fix] }"), "checks[0].fix.argv must say {files}"],
  [
    "a shell line that fixes all files",
    check(', fix: { shell: "x --fix" }'),
    "checks[0].fix.shell must say TENON_FILES",
  ],
  ["an empty condition", check(", when: {}"), "checks[0].when says nothing"],
  ["an unknown condition", check(", when: { os: linux }"), '"os" is not a key of checks[0].when'],
  ["a condition outside the folder", check(', when: { file: "../x" }'), "checks[0].when.file may have a star only"],
  [
    "a deeply nested condition",
    check(`, when: ${"{ not: ".repeat(8)}{ file: x }${" }".repeat(8)}`),
    "nested too deeply",
  ],
  ["a section without a file", check(", when: { section: tool.ruff }"), "must be a file and a key"],
  ["globs outside the folder", 'test_files: ["../x"]', "test_files must be paths inside the folder"],
  ["borrowed folders outside", 'borrowed: ["../../home"]', "borrowed must be paths inside the folder"],
  ["control files outside", 'control: [{ file: "/etc/passwd" }]', "control[0].file may have a star only"],
  [
    "parts of a file that is not JSON",
    "control: [{ file: x.yaml, parts: [a] }]",
    "control[0].parts exist only for JSON",
  ],
  ["a substitute without a target", "instead: { types: compiler }", "instead must name"],
  ["an unknown kind to turn off", "off: [tests]", "off must name kinds of checks"],
  ["detection without a manifest", "detection: { indicators: [] }", "detection must have at and indicators"],
  [
    "a score without an indicator",
    "detection: { at: [x], indicators: [{ says: x, when: { file: x } }] }",
    "indicators[0].score is missing",
  ],
  ["a text that is not a mapping", "- a", "the file must be a mapping"],
  ["a key of a prototype", "__proto__: { checks: [] }", '"__proto__" is not a key'],
  ["a text that is not YAML", "a: [", "line 1"],
  ["a bomb", "a: &a [x, x]\nb: &b [*a, *a]\n", "line"],
])("reports a profile with %s", (_, text, expected) => {
  expect(listProblems(text).join("; ")).toContain(expected);
});

test("reports every problem at once", () => {
  expect(listProblems("id: yours\noff: [x]\nchecks:\n  - { kind: test }\n", "Mine")).toHaveLength(5);
});

const own = (id: string, text: string): ProfileSource => {
  const { profile, problems } = parseProfileYaml(yamlAdapter, id, text);
  if (!profile) throw new Error(problems.join("; "));
  return profile;
};
const joined = (...profiles: readonly ProfileSource[]) => resolveProfileInheritance(shipped, profiles);
const listTools = (id: string, ...profiles: readonly ProfileSource[]): string[] | undefined =>
  joined(...profiles)
    .profiles.find((profile) => profile.id === id)
    ?.checks.map(({ kind, tool, run }) => `${kind} ${tool}: ${"argv" in run ? run.argv.join(" ") : run.shell}`);

test("replaces checks by kind and tool in a project's own profile, and adds others", () => {
  const mine = own(
    "ours",
    "extends: go\noff: [coverage, lint/golangci-lint]\nchecks:\n  - { kind: test, tool: go, argv: [go, test, -race, ./...] }\n  - { kind: lint, tool: lll, argv: [lll] }\n",
  );
  expect(listTools("ours", mine)).toEqual([
    "test go: go test -race ./...",
    "lint lll: lll",
    "lint vet: go vet ./...",
    "format gofmt: gofmt -l .",
    "build go: go build ./...",
  ]);
  const ours = joined(mine).profiles.find(({ id }) => id === "ours");
  const go = shipped.find(({ id }) => id === "go");
  expect([ours?.conventions, ours?.detection]).toEqual([go?.conventions, undefined]);
});

test("only adds to the control files", () => {
  const mine = own("ours", "extends: go\ncontrol: [{ file: x.cfg }]\n");
  const files = joined(mine)
    .profiles.find(({ id }) => id === "ours")
    ?.control.map(({ file }) => file);
  const shared = shipped.find(({ id }) => id === "go")?.control.map(({ file }) => file);
  expect(files).toEqual([...(shared ?? []), "x.cfg"]);
});

test("an own profile replaces the built-in one of the same name", () => {
  const go = joined(own("go", "extends: go\ntest_framework: testify\n")).profiles.filter(({ id }) => id === "go");
  expect(go.map(({ test_framework, detection }) => [test_framework, detection?.at])).toEqual([["testify", ["go.mod"]]]);
});

test.each<[string, readonly ProfileSource[], string]>([
  ["itself", [own("a", "extends: a")], 'unknown profile "a"'],
  [
    "a profile that extends it",
    [own("a", "extends: b"), own("b", "extends: a")],
    "sdd/stacks/a.yaml: it extends itself: a → b → a",
  ],
  ["nothing", [own("a", "extends: cobol")], 'sdd/stacks/a.yaml: unknown profile "cobol"; choose one of'],
  [
    "too many profiles",
    Array.from({ length: 8 }, (_, i) => own(`p${i}`, `extends: ${i === 0 ? "go" : `p${i - 1}`}`)),
    "more than 5 deep",
  ],
])("reports a profile that extends %s", (_, profiles, expected) => {
  const { problems } = joined(...profiles);
  expect(problems.join("; ")).toContain(expected);
});
