import { expect, test } from "vitest";
import { isTestData, isTestPath } from "./test-files.ts";

test.each([
  "src/session.test.ts",
  "src/session.spec.tsx",
  "app/login.e2e-spec.ts",
  "cypress/login.cy.js",
  "src/session-test.js",
  "src/__tests__/session.js",
  "test/kit/folder.ts",
  "test.js",
  "spec/session.js",
  "test_session.py",
  "app/session_test.py",
  "app/conftest.py",
  "shop/tests.py",
  "pkg/auth/auth_test.go",
  "tests/it.rs",
  "src/parser/tests.rs",
  "src/parser_tests.rs",
  "src/test/java/com/acme/Kit.java",
  "src/SessionTest.java",
  "ATest.kt",
  "src/SessionTests.java",
  "src/SessionIT.java",
  "src/SessionTest.kt",
  "Shop.Tests/Session.cs",
  "Shop.UnitTests/Session.cs",
  "src/SessionTests.cs",
  "AppTests/Session.swift",
  "spec/models/user.rb",
  "lib/user_spec.rb",
  "test/user_test.rb",
  "src/UserTest.php",
  "src/UserSpec.php",
  "src/list_test.cc",
  "src/list_unittest.cc",
  "src/ListTest.cpp",
  "src/test_list.c",
  "integration-tests/run.ts",
])("%s is a test", (path) => {
  expect(isTestPath(path)).toBe(true);
});

test.each([
  "src/latest.ts",
  "src/contest.py",
  "src/contest/a.ts",
  "src/testing-library.ts",
  "src/attest.go",
  "src/spectrum.ts",
  "src/Latest.java",
  "src/testing/kit.go",
  "src/commands/test.ts",
  "src/domain/spec/parse.ts",
  "api/openapi.spec.yaml",
  "src/greatest_hits.rb",
  "src/protest.c",
  "src/Inspector.cs",
  "latest/a.ts",
  "docs/session.test.md",
])("%s is not a test", (path) => {
  expect(isTestPath(path)).toBe(false);
});

test.each([
  "test/fixtures/session.test.ts",
  "pkg/testdata/a_test.go",
  "src/__mocks__/fs.ts",
  "src/test/resources/A.java",
])("%s is test data", (path) => {
  expect([isTestPath(path), isTestData(path)]).toEqual([false, true]);
});
