import { expect, test } from "vitest";
import { validatePassedVariables } from "./trusted-surface.ts";

test("passes each name once, in order", () => {
  expect(validatePassedVariables(["TOKEN", "DATABASE_URL", "TOKEN", "_x1"])).toEqual(["DATABASE_URL", "TOKEN", "_x1"]);
});

test.each([
  "NODE_OPTIONS",
  "node_options",
  "NODE_PATH",
  "PATH",
  "Path",
  "PATHEXT",
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "DYLD_INSERT_LIBRARIES",
  "PYTHONPATH",
  "PYTHONSTARTUP",
  "PYTEST_ADDOPTS",
  "PYTEST_PLUGINS",
  "PERL5OPT",
  "RUBYOPT",
  "JAVA_TOOL_OPTIONS",
  "BASH_ENV",
  "ENV",
  "IFS",
  "GIT_SSH_COMMAND",
  "GIT_DIR",
  "GOFLAGS",
  "RUSTC_WRAPPER",
  "RUSTFLAGS",
  "CARGO_TARGET_X_RUNNER",
  "npm_config_script_shell",
  "TENON_HOME",
  "SHELL",
  "HOME",
  "MAKEFLAGS",
])("does not pass %s, which controls programs", (name) => {
  expect(() => validatePassedVariables(["TOKEN", name])).toThrow(
    expect.objectContaining({ code: "trust.bad-variable", what: `"${name}" is not passed to checks.` }),
  );
});

test.each(["", "A=1", "A B", "1A", "A-B", "Ä", "A\n", "*", "$A", "A".repeat(101)])("rejects %j as a name", (name) => {
  expect(() => validatePassedVariables([name])).toThrow(
    expect.objectContaining({ code: "trust.bad-variable", why: "It is not the name of a variable." }),
  );
});
