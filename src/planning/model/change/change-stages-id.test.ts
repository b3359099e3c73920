import fc from "fast-check";
import { expect, test } from "vitest";
import { isChangeId, createChangeId, parseChangeId } from "#kernel/model/stages/change-stages.ts";

test.each(["a", "0", "fix-login", "fix-login-2", "2026-01-31", "a".repeat(64)])("%s is an id", (text) => {
  expect(parseChangeId(text)).toBe(text);
});

test.each([
  ["", '""'],
  ["Fix", '"Fix"'],
  ["fix--login", '"fix--login"'],
  ["-fix", '"-fix"'],
  ["fix-", '"fix-"'],
  ["fix_login", '"fix_login"'],
  ["fix login", '"fix login"'],
  ["../fix", '"../fix"'],
  ["fix/login", '"fix/login"'],
  ["fix\\login", '"fix\\login"'],
  ["fix.login", '"fix.login"'],
  ["..", '".."'],
  ["fix\n", '"fix\\u000a"'],
  ["fix\u0000", '"fix\\u0000"'],
  ["añadir", '"añadir"'],
  ["ｆｉｘ", '"ｆｉｘ"'],
  ["fix\u0301", '"fix\u0301"'],
  ["２", '"２"'],
  ["ВХОД", '"ВХОД"'],
  ["a".repeat(65), `"${"a".repeat(64)}…"`],
])("%j is not an id", (text, shown) => {
  expect(() => parseChangeId(text)).toThrow(
    expect.objectContaining({
      code: "change.bad-id",
      what: `${shown} is not a change id.`,
      why: "An id has lower-case letters, digits and single hyphens, at most 64 characters.",
      fixes: [{ operation: "change.list" }],
    }),
  );
});

test.each([
  ["Fix the login", [], "fix-the-login"],
  ["Fix the login", ["fix-the-login", "fix-the-login-2"], "fix-the-login-3"],
  ["修复登录", [], "修复登录"],
  ["修复登录", ["修复登录"], "修复登录-2"],
  ["Исправить вход", [], "исправить-вход"],
  ["로그인 오류 수정", [], "로그인-오류-수정"],
  ["लॉगिन ठीक करें", [], "लॉगिन-ठीक-करें"],
  ["ログインを直す: Añadir ２", [], "ログインを直す-anadir-2"],
  ["🚀", [], "change-0kv4k6w"],
  ["format_filename should accept a max_length and an ellipsis", [], "format-filename-should-accept-a-max-length"],
])("names %s beside %j %s", (description, taken, id) => {
  expect(createChangeId(description, (candidate) => taken.includes(candidate))).toBe(id);
});

test("derives an id that is a single folder name from any description", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (description) => {
      const id = createChangeId(description, () => false);
      expect({ isId: isChangeId(id), parts: id.split(/[/\\.]/).length }).toEqual({ isId: true, parts: 1 });
    }),
  );
});
