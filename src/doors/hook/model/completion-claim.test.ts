import { expect, test } from "vitest";
import { hasCompletionClaim } from "./completion-claim.ts";

test.each([
  ["All tests pass.", true],
  ["The tests are now passing.", true],
  ["All 42 tests pass and lint is clean.", true],
  ["I ran the suite: 42 of 42 passed.", true],
  ["Done! The login page is in place.", true],
  ["I've implemented the login and added tests.", true],
  ["The feature is complete.", true],
  ["The bug is fixed.", true],
  ["Everything is working now.", true],
  ["**Done.** See the summary below.", true],
  ["Implementation complete", true],
  ["I looked at the login page.", false],
  ["The tests do not pass yet.", false],
  ["Two tests fail.", false],
  ["Once all tests pass, I will go on.", false],
  ["Should I run the tests?", false],
  ["Is the feature complete?", false],
  ["The work is not done.", false],
  ["When the fix is complete we can merge.", false],
  ["```\nAll tests pass.\n```", false],
  ["Next I will implement the parser.", false],
  ["", false],
])("%j claims that work is done: %s", (text, expected) => {
  expect(hasCompletionClaim(text)).toBe(expected);
});
