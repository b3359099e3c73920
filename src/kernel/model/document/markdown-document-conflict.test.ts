import { expect, test } from "vitest";
import { findConflictMarkers, parseProseLines } from "./markdown-document.ts";

test.each([
  ["# A\n\n<<<<<<< HEAD\n- FR-001: a\n=======\n- FR-001: b\n>>>>>>> other\n", [3]],
  ["- FR-001: b\n>>>>>>> other\n", [2]],
  ["A heading\n=======\n\n> > > a quote\n", []],
  ["```\n<<<<<<< HEAD\n```\n", []],
  ["a <<<<<<< b\n<<<<<<<<< c", []],
])("finds conflict marks in %j at %j", (text, lines) => {
  expect(findConflictMarkers(parseProseLines(text)).map(({ line }) => line)).toEqual(lines);
});
