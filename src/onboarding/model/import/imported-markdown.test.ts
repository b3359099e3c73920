import { expect, test } from "vitest";
import { parseForeignAdr } from "./imported-markdown.ts";

const BODY = "## Context\n\nc\n\n## Decision\n\nd\n";

test.each([
  [
    "# ADR-001: One queue\n\n**Status**: Accepted\n**Date**: 2026-02-03\n\n",
    "One queue",
    "accepted",
    "2026-02-03T00:00:00Z",
  ],
  ["# 12. One queue\n\n- Status: superseded by 14\n\n", "One queue", "superseded", undefined],
  ["---\ntitle: One queue\nstatus: draft\n---\n\n", "One queue", "proposed", undefined],
  ["# One queue\n\nStatus: deprecated\nDate: soon\n\n", "One queue", "deprecated", undefined],
])("reads %j as a decision", (head, title, status, date) => {
  expect(parseForeignAdr("a.md", `${head}${BODY}`)).toEqual({
    kind: "adr",
    from: "a.md",
    title,
    status,
    ...(date === undefined ? {} : { date }),
    text: BODY,
  });
});

test("reads a status from a section", () => {
  expect(parseForeignAdr("a.md", `# One queue\n\n## Status\n\nAccepted\n\n${BODY}`)).toMatchObject({
    kind: "adr",
    status: "accepted",
  });
});

test.each([
  ["no title", BODY, "it has no title, or no section"],
  ["no section", "# A\n\nStatus: accepted\n", "it has no title, or no section"],
  ["no decision", "# A\n\nStatus: accepted\n\n## Context\n\nc\n", "it has no section with the decision"],
  ["no status", `# A\n\n${BODY}`, "it does not say whether it was proposed, accepted, deprecated or superseded"],
  [
    "another status",
    `# A\n\nStatus: rejected\n\n${BODY}`,
    "it does not say whether it was proposed, accepted, deprecated or superseded",
  ],
])("reads a text with %s as a document", (_, text, why) => {
  expect(parseForeignAdr("a.md", text)).toEqual({ kind: "document", from: "a.md", text, why });
});
