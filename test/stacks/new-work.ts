import type { Stack } from "../kit/fixtures.ts";

type Files = Readonly<Record<string, string>>;

/** A feature on top of a fixture: its tests and its code, one function that greets somebody. */
interface NewWork {
  /** Needs what is not there yet. */
  readonly tests: Files;
  readonly code: Files;
  /** Asks something of what is there that it does not do. */
  readonly asserting: Files;
  /** Would be a good test, were it not for a file beside it that cannot be read. */
  readonly unreadable: Files;
  /** Code that no test runs. */
  readonly untested: Files;
}

export const NEW_WORK: Readonly<Record<Stack, NewWork>> = {
  "typescript-react": {
    tests: {
      "tests/greeting.test.ts": `import { expect, it } from "vitest";
import { greetingOf } from "../src/greeting";

// @spec UI-002
it("greets by name", () => {
  expect(greetingOf("Ada")).toBe("Hello, Ada");
});
`,
    },
    code: {
      "src/greeting.ts": `/** @spec UI-002 */
export function greetingOf(name: string): string {
  return \`Hello, \${name}\`;
}
`,
    },
    asserting: {
      "tests/dotted.test.ts": `import { expect, it } from "vitest";
import { initialsOf } from "../src/initials";

it("puts dots between them", () => {
  expect(initialsOf("Ada Lovelace")).toBe("A.L.");
});
`,
    },
    unreadable: {
      "tests/names.ts": "export const names = [;\n",
      "tests/named.test.ts": `import { expect, it } from "vitest";
import { names } from "./names";

it("knows names", () => {
  expect(names).toEqual(["Ada"]);
});
`,
    },
    untested: {
      "src/farewell.ts": `export function farewellOf(name: string): string {
  const words = ["Goodbye", name];
  return words.join(", ");
}
`,
    },
  },
  "python-fastapi": {
    tests: {
      "tests/test_greeting.py": `from greeting import greeting_of


def test_greets_by_name() -> None:
    """@spec API-002"""
    assert greeting_of("Ada") == "Hello, Ada"
`,
    },
    code: {
      "src/greeting.py": `def greeting_of(name: str) -> str:
    """@spec API-002"""
    return f"Hello, {name}"
`,
    },
    asserting: {
      "tests/test_numbers.py": `from routers.user_routes import USERS


def test_there_are_two() -> None:
    assert len(USERS) == 2
`,
    },
    unreadable: {
      "tests/names.py": "NAMES = [\n",
      "tests/test_named.py": `from names import NAMES


def test_knows_names() -> None:
    assert NAMES == ["Ada"]
`,
    },
    untested: {
      "src/farewell.py": `def farewell_of(name: str) -> str:
    words = ["Goodbye", name]
    return ", ".join(words)
`,
    },
  },
  go: {
    tests: {
      "account/greeting_test.go": `package account

import "testing"

// @spec ACC-002
func TestGreetsByName(t *testing.T) {
	if got := Greeting("Ada"); got != "Hello, Ada" {
		t.Errorf("got %q", got)
	}
}
`,
    },
    code: {
      "account/greeting.go": `package account

// Greeting is what a user is greeted with.
//
// @spec ACC-002
func Greeting(name string) string {
	return "Hello, " + name
}
`,
    },
    asserting: {
      "account/dotted_test.go": `package account

import "testing"

func TestPutsDotsBetween(t *testing.T) {
	if got := (User{Name: "Ada Lovelace"}).Initials(); got != "A.L." {
		t.Errorf("got %q", got)
	}
}
`,
    },
    unreadable: {
      "account/names_test.go": "package account\n\nvar names = []string{\n",
      "account/named_test.go": `package account

import "testing"

func TestKnowsNames(t *testing.T) {
	if len(names) != 1 {
		t.Errorf("got %v", names)
	}
}
`,
    },
    untested: {
      "account/farewell.go": `package account

// Farewell is what a user is sent off with.
func Farewell(name string) string {
	words := "Goodbye, " + name
	return words
}
`,
    },
  },
  rust: {
    tests: {
      "tests/greeting.rs": `use accounts::greeting::greeting_of;

// @spec ACC-002
#[test]
fn greets_by_name() {
    assert_eq!(greeting_of("Ada"), "Hello, Ada");
}
`,
    },
    code: {
      "src/lib.rs": "//! Who may use the service.\n\npub mod greeting;\npub mod user;\n",
      "src/greeting.rs": `/// What a user is greeted with.
///
/// @spec ACC-002
pub fn greeting_of(name: &str) -> String {
    format!("Hello, {name}")
}
`,
    },
    asserting: {
      "tests/dotted.rs": `use accounts::user::User;

#[test]
fn puts_dots_between_them() {
    let user = User::new(1, "Ada Lovelace").expect("a name");
    assert_eq!(user.initials(), "A.L.");
}
`,
    },
    unreadable: {
      "tests/names/mod.rs": "pub const NAMES: [&str; 1] = [;\n",
      "tests/named.rs": `mod names;

#[test]
fn knows_names() {
    assert_eq!(names::NAMES, ["Ada"]);
}
`,
    },
    untested: {
      "src/lib.rs": "//! Who may use the service.\n\npub mod farewell;\npub mod user;\n",
      "src/farewell.rs": `/// What a user is sent off with.
pub fn farewell_of(name: &str) -> String {
    let words = ["Goodbye", name];
    words.join(", ")
}
`,
    },
  },
};
