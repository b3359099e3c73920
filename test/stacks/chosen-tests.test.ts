import { describe, expect, test } from "vitest";
import { toolchainProblem } from "../kit/fixtures.ts";
import { NEW_WORK } from "./new-work.ts";
import { workshop, workshopOf } from "./workshop.ts";

const LYING = {
  go: {
    "account/same_test.go": `package account

import "testing"

func TestIsSame(t *testing.T) {
	if got := (User{Name: "Ada Lovelace"}).Initials(); got != "AL" {
		t.Errorf("got %q", got)
	}
}
`,
  },
  rust: {
    "tests/same.rs": `use accounts::user::User;

#[test]
fn is_same() {
    let user = User::new(1, "Ada Lovelace").expect("a name");
    assert_eq!(user.initials(), "AL");
}
`,
  },
};

describe.each(["go", "rust"] as const)("evidence in a project of %s", (stack) => {
  const problem = toolchainProblem(stack);
  const { tests, code, asserting } = NEW_WORK[stack];
  const nameFile = (files: Readonly<Record<string, string>>): string => Object.keys(files)[0] ?? "";
  const [missing, asserted, lying] = [nameFile(tests), nameFile(asserting), nameFile(LYING[stack])];

  test.skipIf(problem !== undefined)(
    "runs the new tests alone, and judges each though one does not compile",
    async () => {
      using it = await workshop(stack);
      it.write({ ...code, ...tests, ...asserting, ...LYING[stack] });
      const seen = await it.red();
      expect(Object.fromEntries(seen.red.map(({ file, why }) => [file, why]))).toEqual({
        [missing]: "missing-symbol",
        [asserted]: "assertion",
      });
      expect(seen.problems.map((each) => each.problem)).toEqual([
        expect.stringMatching(new RegExp(`^${lying}: .* passes without your change`)),
      ]);
      const ran = seen.receipts.flatMap((receipt) => receipt.tests?.map(({ name }) => name) ?? []);
      expect([ran.length, ran.some((name) => /same/i.test(name)), ran.some((name) => /dots/i.test(name))]).toEqual([
        2,
        true,
        true,
      ]);
    },
    300_000,
  );

  test.skipIf(problem !== undefined)(
    "runs them before there is any code",
    async () => {
      using it = await workshop(stack);
      it.write({ ...tests, ...asserting });
      const seen = await it.red();
      expect([seen.problems, seen.red.map(({ file }) => file).toSorted()]).toEqual([
        [],
        [missing, asserted].toSorted(),
      ]);
    },
    300_000,
  );
});

test.skipIf(toolchainProblem("go") !== undefined)(
  "accepts a test that needs a helper from a test file that does not compile yet",
  async () => {
    using it = await workshop("go");
    const { tests, code, asserting } = NEW_WORK.go;
    const [[missing, text] = ["", ""]] = Object.entries(tests);
    const [[other, dotted] = ["", ""]] = Object.entries(asserting);
    it.write({
      ...code,
      [missing]: `${text}\nfunc ada() User { return User{Name: "Ada Lovelace"} }\n`,
      [other]: dotted.replace('(User{Name: "Ada Lovelace"})', "ada()"),
    });
    const seen = await it.red();
    expect([seen.problems, seen.red.length]).toEqual([[], 2]);
  },
  300_000,
);

test.skipIf(toolchainProblem("go") !== undefined)(
  "sees a test fail on its assertion beside an error that go vet would report",
  async () => {
    using it = await workshopOf({
      "go.mod": "module bill\n\ngo 1.22\n",
      "bill.go":
        'package bill\n\nimport "fmt"\n\nfunc Line(name string) string { return fmt.Sprintf("for %d", name) }\n',
    });
    it.write({
      "bill.go":
        'package bill\n\nimport "fmt"\n\nfunc Line(name string) string { return fmt.Sprintf("for %s", name) }\n',
      "bill_test.go":
        'package bill\n\nimport "testing"\n\nfunc TestLine(t *testing.T) {\n\tif got := Line("Ada"); got != "for Ada" {\n\t\tt.Errorf("got %q", got)\n\t}\n}\n',
    });
    const seen = await it.red();
    expect([seen.problems, seen.red.map(({ why }) => why)]).toEqual([[], ["assertion"]]);
  },
  300_000,
);
