import { expect, test } from "vitest";
import { parseFeatureName } from "./name.ts";

test.each(["user-login", "a", "api2-keys", "x".repeat(60)])("%s is the name of a feature", (name) => {
  expect(parseFeatureName(name)).toBe(name);
});

test.each(["", "User", "user_login", "-a", "a-", "a--b", "2fa", "../a", "a/b", "x".repeat(61)])(
  "%j is none",
  (text) => {
    expect(() => parseFeatureName(text)).toThrow(expect.objectContaining({ code: "feature.bad-name" }));
  },
);
