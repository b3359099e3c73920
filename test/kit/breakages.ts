import fs from "node:fs";
import { join } from "node:path";
import type { Stack } from "./fixtures.ts";

/**
 * What is to go wrong in a fixture: the check that fails, or how its tests do. Only `format` and `lint-fixable` are
 * mended by the check's own fix. `debug-output` is told by the linters of some stacks and by none of Go.
 */
export type Breakage =
  | "format"
  | "lint"
  | "lint-fixable"
  | "types"
  | "assertion"
  | "missing-symbol"
  | "syntax"
  | "skipped"
  | "debug-output";

interface Edit {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

const TSX = "src/components/UserProfile.tsx";
const PYTHON = "src/routers/user_routes.py";
const GO = "account/user.go";
const RUST = "src/user.rs";

/** Small edits, each of which breaks one thing. What a stack does not have is left out. */
const BREAKAGES: Readonly<Record<Stack, Readonly<Partial<Record<Breakage, readonly Edit[]>>>>> = {
  "typescript-react": {
    format: [{ path: "src/initials.ts", from: 'return "?";', to: "return '?'" }],
    lint: [{ path: "src/initials.ts", from: "  const words", to: "  const unused = 1;\n  const words" }],
    "lint-fixable": [{ path: "src/initials.ts", from: "const first", to: "let first" }],
    types: [{ path: "src/initials.ts", from: "const first =", to: "const first: number =" }],
    assertion: [{ path: "src/initials.ts", from: '"?"', to: '"!"' }],
    "missing-symbol": [{ path: "src/initials.ts", from: "function initialsOf", to: "function lettersOf" }],
    syntax: [{ path: "src/initials.ts", from: "const words = name", to: "const words = ; name" }],
    skipped: [{ path: "tests/components/UserProfile.test.tsx", from: 'it("offers', to: 'it.skip("offers' }],
    "debug-output": [{ path: TSX, from: "  return (\n", to: "  console.log(name);\n  return (\n" }],
  },
  "python-fastapi": {
    format: [{ path: PYTHON, from: "USERS = {1: ", to: "USERS = {1 : " }],
    lint: [{ path: PYTHON, from: "    return user\n", to: "    unused = 1\n    return user\n" }],
    "lint-fixable": [{ path: PYTHON, from: "from fastapi import", to: "import os\n\nfrom fastapi import" }],
    types: [{ path: PYTHON, from: "user = USERS.get(user_id)", to: "user: int = USERS.get(user_id)" }],
    assertion: [{ path: PYTHON, from: "No user has", to: "Nobody has" }],
    "missing-symbol": [
      { path: "src/main.py", from: "app = FastAPI", to: "application = FastAPI" },
      { path: "src/main.py", from: "app.include_router", to: "application.include_router" },
    ],
    syntax: [{ path: PYTHON, from: "user = USERS.get(user_id)", to: "user = USERS.get(" }],
    skipped: [
      {
        path: "tests/test_user_routes.py",
        from: "@pytest.mark.asyncio\nasync def test_a_user",
        to: "@pytest.mark.skip\n@pytest.mark.asyncio\nasync def test_a_user",
      },
    ],
    "debug-output": [{ path: PYTHON, from: "    return user\n", to: "    print(user)\n    return user\n" }],
  },
  go: {
    format: [{ path: GO, from: "ID: id, Name", to: "ID: id,  Name" }],
    lint: [{ path: GO, from: "ToUpper(letters)\n", to: 'ToUpper(letters)\n\treturn ""\n' }],
    types: [{ path: GO, from: 'letters := ""', to: 'var letters int = ""' }],
    assertion: [{ path: GO, from: "strings.ToUpper", to: "strings.ToLower" }],
    "missing-symbol": [{ path: GO, from: "func NewUser", to: "func MakeUser" }],
    syntax: [{ path: GO, from: 'letters := ""', to: "letters := " }],
    skipped: [
      {
        path: "account/user_test.go",
        from: "func TestNewUserWithoutName(t *testing.T) {\n",
        to: 'func TestNewUserWithoutName(t *testing.T) {\n\tt.Skip("later")\n',
      },
    ],
    "debug-output": [{ path: GO, from: '\tletters := ""\n', to: '\tprintln(u.Name)\n\tletters := ""\n' }],
  },
  rust: {
    format: [{ path: RUST, from: "use std::fmt;", to: "use  std::fmt;" }],
    lint: [
      {
        path: RUST,
        from: "    /// The letters",
        to: "    pub fn len(&self) -> usize {\n        self.name.len()\n    }\n\n    /// The letters",
      },
    ],
    "lint-fixable": [{ path: RUST, from: "match name.trim() {", to: "match (&name).trim() {" }],
    types: [{ path: RUST, from: "pub id: u64,", to: "pub id: u32," }],
    assertion: [{ path: RUST, from: "char::to_uppercase", to: "char::to_lowercase" }],
    "missing-symbol": [{ path: RUST, from: "pub fn initials", to: "pub fn letters" }],
    syntax: [{ path: RUST, from: '"" => Err(NoName),', to: '"" => ,' }],
    skipped: [{ path: "tests/user.rs", from: "#[test]\nfn a_user", to: "#[test]\n#[ignore]\nfn a_user" }],
    "debug-output": [{ path: RUST, from: "        self.name\n", to: "        dbg!(self.id);\n        self.name\n" }],
  },
};

/** Makes the edits of a breakage in a copy. They have to fit exactly, so that a fixture cannot drift away from them. */
export function breakFixture(folder: string, stack: Stack, breakage: Breakage): void {
  for (const { path, from, to } of BREAKAGES[stack][breakage] ?? []) {
    const place = join(folder, path);
    const text = fs.readFileSync(place, "utf8");
    if (text.split(from).length !== 2) throw new Error(`${path} does not hold exactly once: ${from}`);
    fs.writeFileSync(
      place,
      text.replace(from, () => to),
    );
  }
}
