import { expect, test } from "vitest";
import { toolchainProblem } from "../kit/fixtures.ts";
import { featureSpec } from "../kit/specs.ts";
import { projectStand } from "./project.ts";

const ID = "BUG-042";
const LINE = "package bill\n\nfunc Line(name string) string { return name }\n";
const FIXED = `package bill\n\n// @spec ${ID}\nfunc Line(name string) string { return "for " + name }\n`;
const test1 = (name: string, check: string): string =>
  `package bill\n\nimport "testing"\n\nfunc Test${name}(t *testing.T) {\n\tif ${check} {\n\t\tt.Error("wrong")\n\t}\n}\n`;
const PROVING = test1("Line", 'Line("Ada") != "for Ada"').replace("func Test", `// @spec ${ID}\nfunc Test`);

const problem = toolchainProblem("go");
test.skipIf(problem !== undefined)(
  `passes a bugfix in a Go package in which a paused feature has tests that do not compile${problem ? ` (${problem})` : ""}`,
  { timeout: 300_000 },
  async () => {
    using it = await projectStand({
      "go.mod": "module bill\n\ngo 1.21\n",
      "bill.go": LINE,
      "old_test.go": test1("Old", 'Line("") == "x"'),
      "sdd/config.yaml": "version: 1\ngates:\n  waived:\n    coverage: none\n    lint: none\n    types: none\n",
    });
    await it.trust();
    await it.run("workflow.feature", { description: "Log in with a code", id: "AUTH-001" });
    it.write("sdd/specs/AUTH-001.yaml", featureSpec("AUTH-001"));
    for (const stage of ["discover", "specify"]) await it.advance("AUTH-001", { stage });
    it.write("login_test.go", test1("Login", "!Login()"));
    await it.run("workflow.lock", { id: "AUTH-001", action: "claim", paths: ["login_test.go"] });

    await it.run("workflow.bugfix", { description: "The line has no word", id: ID });
    it.fill(ID);
    for (const stage of ["investigate", "specify-fix"]) await it.advance(ID, { stage });
    it.write("line_test.go", PROVING);
    it.write("bill.go", FIXED);
    const gate = await it.gate(ID);
    expect(gate.open).toEqual([]);
    expect(gate["notes"]).toContain(
      "Tests run in a copy without login_test.go, which another workflow holds and which does not load.",
    );
    it.write("bill.go", `${FIXED}\nfunc init() { panic("no") }\n`);
    expect((await it.gate(ID)).passed).toBe(false);
  },
);
