import fc from "fast-check";
import { expect, test } from "vitest";
import { isFeatureName, deriveFeatureName, parseFeatureName } from "./feature-name.ts";

test.each(["user-login", "a", "api2-keys", "x".repeat(60)])("accepts %s as the name of a feature", (name) => {
  expect(parseFeatureName(name)).toBe(name);
});

test.each(["", "User", "user_login", "-a", "a-", "a--b", "2fa", "../a", "a/b", "x".repeat(61)])(
  "rejects %j as the name of a feature",
  (text) => {
    const why = expect.stringMatching(/^A name begins with a letter and has small letters and digits/);
    expect(() => parseFeatureName(text)).toThrow(expect.objectContaining({ code: "feature.bad-name", why }));
  },
);

test.each([
  ["Add a login for users", "login-for-users"],
  ["add fix update create delete run build test cart", "cart"],
  ["We should implement the checkout, with cards and vouchers", "checkout"],
  ["Export of reports", "export-of-reports"],
  ["User login. It keeps the session for a day.", "user-login"],
  ["Support the use of a second factor for the login of administrators", "use-of-second-factor-for-login"],
  ["2FA for all", "feature-2fa-for-all"],
  ["Update", "feature-update"],
  ["Autenticación de usuarios", "autenticacion-de-usuarios"],
  ["src/auth.ts: sessions", "src-auth-ts"],
])("names %j %s", (description, name) => {
  expect(deriveFeatureName(description)).toBe(name);
});

test("derives the same valid name for any text every time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (description) => {
      const name = deriveFeatureName(description);
      expect([isFeatureName(name), deriveFeatureName(description)]).toEqual([true, name]);
    }),
  );
});
