import { expect, test } from "vitest";
import * as z from "zod/mini";
import { fillCommandPlaceholders, ProfileCheck } from "./stack-check.ts";

const filling = { report: "/t/report", coverage: "/t/coverage", files: ["a b.ts", "$(c).ts"] };

test.each([
  [
    ["vitest", "--outputFile={report}", "--dir", "{coverage}"],
    ["vitest", "--outputFile=/t/report", "--dir", "/t/coverage"],
  ],
  [
    ["eslint", "--fix", "{files}"],
    ["eslint", "--fix", "a b.ts", "$(c).ts"],
  ],
  [
    ["echo", "{files}x"],
    ["echo", "{files}x"],
  ],
])("runs %j as %j", (argv, expected) => {
  expect(fillCommandPlaceholders({ argv }, { FILE: "{coverage}.db" }, filling)).toEqual({
    run: { argv: expected },
    variables: { FILE: "/t/coverage.db" },
  });
});

const CHOSEN = ["src/test/java/app/UserTest.java", "src/test/java/app/DotsTest.java"];

test.each([
  [
    ["mvn", "-Dtest={classes:*,}*", "test"],
    ["mvn", "-Dtest=UserTest*,DotsTest*", "test"],
  ],
  [
    ["gradle", "test", "--tests=*{class}*"],
    ["gradle", "test", "--tests=*UserTest*", "--tests=*DotsTest*"],
  ],
  [
    ["rake", "TEST={{tests:,}}"],
    ["rake", `TEST={${CHOSEN.join(",")}}`],
  ],
  [
    ["echo", "{unknown:,}"],
    ["echo", "{unknown:,}"],
  ],
])("runs chosen tests of %j as %j", (argv, expected) => {
  const tests = CHOSEN.map((file) => ({ file, name: "" }));
  expect(fillCommandPlaceholders({ argv }, undefined, { ...filling, tests }).run).toEqual({ argv: expected });
});

test("inserts nothing into a shell line", () => {
  expect(fillCommandPlaceholders({ shell: "make fix" }, undefined, filling)).toEqual({
    run: { shell: "make fix" },
    variables: { TENON_REPORT: "/t/report", TENON_COVERAGE: "/t/coverage", TENON_FILES: "a b.ts\n$(c).ts" },
  });
});

test.each([
  [{ argv: ["gofmt", "-w", "{files}"] }, true],
  [{ argv: ["gofmt", "-w", "."] }, false],
  [{ shell: 'echo "$TENON_FILES" | xargs gofmt -w' }, true],
  [{ shell: "make fmt" }, false],
])("accepts %j as a fix: %s", (fix, expected) => {
  expect(z.safeParse(ProfileCheck, { kind: "format", tool: "gofmt", argv: ["gofmt"], fix }).success).toBe(expected);
});
