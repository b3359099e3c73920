import { featureSpec } from "../kit/specs.ts";
import { type Stand, stand } from "../workflow/stand.ts";

const spec = (id: string, status: string, more = ""): string =>
  featureSpec(id)
    .replace("status: draft", `status: ${status}`)
    .replace(/trace:[\s\S]*$/, more);

/** A repository whose code says what it belongs to, some of it wrongly. */
export const FILES: Readonly<Record<string, string>> = {
  "sdd/specs/AUTH-001.yaml": spec(
    "AUTH-001",
    "implemented",
    "trace:\n  code: [src/login.ts:1, src/gone.ts]\n  docs: [docs/login.md#codes]\n  decisions: [ADR-0001]\n",
  ),
  "sdd/specs/AUTH-002.yaml": spec("AUTH-002", "specified"),
  "sdd/specs/AUTH-003.yaml": spec("AUTH-003", "draft"),
  "sdd/requirements.md": "# Requirements\n\n## Must have\n\n- **FR-001**: People log in with a code\n",
  "sdd/adrs/ADR-0001-codes.md":
    "# ADR-0001: Codes of six digits\n\n- Status: accepted\n- Date: 2026-01-31\n\nFor AUTH-001.\n",
  "docs/login.md": "# Log in\n\nSee **AUTH-001**, and AUTH-0012.\n",
  "src/login.ts": [
    "/** @spec AUTH-001, FR-001 */",
    "export class Session {",
    "  /** @spec AUTH-001.AC-1 */",
    "  login(code: string): boolean {",
    '    return code === "123456";',
    "  }",
    "",
    "  leave(): void {}",
    "}",
    "",
  ].join("\n"),
  "src/lost.ts": "// @spec AUTH-009\nexport const lost = 1;\n// @spec AUTH-001.AC-7\nexport const found = 2;\n",
  "src/plain.ts": "export const plain = 1;\n",
  "tests/login.test.ts": [
    'import { expect, test } from "vitest";',
    "",
    "// @spec AUTH-001.AC-1",
    'test("lets the right code in", () => expect(1).toBe(1));',
    "",
    'test("other", () => expect(1).toBe(1));',
    "",
  ].join("\n"),
  "tests/plain.test.ts": 'test("one", () => {});\ntest("two", () => {});\n',
};

export async function traceGround(more: Readonly<Record<string, string>> = {}, isGit = true): Promise<Stand> {
  const made = await stand(undefined, isGit);
  for (const [path, text] of Object.entries({ ...FILES, ...more })) made.write(path, text);
  return made;
}
