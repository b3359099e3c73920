import { expect, test } from "vitest";
import { followProjectCommand, listProjectLines, parseProjectCommands } from "./project-commands.ts";

const CI = `jobs:
  test:
    steps:
      - uses: actions/checkout@v4
      - run: pip install -e .[dev]
      - name: Test
        run: |
          export X=1
          uv run pytest -q -m "not slow" tests/unit
      - run: "cargo test --all-features -- --nocapture"
`;

test.each<[string, string, string[]]>([
  [
    "ci.yml",
    CI,
    [
      "pip install -e .[dev]",
      "export X=1",
      'uv run pytest -q -m "not slow" tests/unit',
      "cargo test --all-features -- --nocapture",
    ],
  ],
  [
    ".gitlab-ci.yml",
    "test:\n  script:\n    - bundle install\n    - bundle exec rspec\n  stage: x\n",
    ["bundle install", "bundle exec rspec"],
  ],
  [
    "tox.ini",
    "[testenv]\ndeps = pytest\ncommands =\n    pytest {posargs:tests} -x\n    mypy\n[x]\n",
    ["pytest  -x", "mypy"],
  ],
  [
    "noxfile.py",
    'def tests(session):\n    session.install("x")\n    session.run("pytest", "-m", "fast", *args)\n',
    ["pytest -m fast"],
  ],
  ["justfile", "test: build\n  @cargo test --release\nother:\n  rm x\n", ["cargo test --release"]],
])("lists the shell lines of %s", (name, text, expected) => {
  expect(listProjectLines(name, text)).toEqual(expected);
});

const PYTEST = { commands: ["pytest"], options: ["-m=", "--ignore="], paths: true };

test.each<[string, string, readonly string[] | undefined]>([
  ["options with a value, and paths", 'pytest -q -m "not slow" --cov=x tests/unit', ["-m", "not slow", "tests/unit"]],
  ["a module of Python", "python -m pytest --ignore=docs", ["--ignore=docs"]],
  ["behind launchers", "FOO=1 coverage run -m pytest tests", ["tests"]],
  ["nothing with variables", "pytest -m ${{ matrix.mark }} $ARGS", []],
  ["not another program", "pytest-watch -m x", undefined],
])("takes over %s", (_, line, expected) => {
  expect(followProjectCommand(parseProjectCommands("ci.yml", [line]), PYTEST)?.args).toEqual(expected);
});

test("prefers the run with the fewest options, and ignores one that skips tests", () => {
  const commands = parseProjectCommands("ci.yml", [
    "mvn -B package -DskipTests",
    "mvn -B -Pslow verify",
    "mvn -B verify",
  ]);
  expect(followProjectCommand(commands, { commands: ["mvn"], options: ["-P*"], paths: false })).toEqual({
    from: "ci.yml: mvn -B verify",
    args: [],
  });
});
