/**
 * `(evidence: src/app.ts:12, src/db.ts:3; confidence: high)`. A closing bracket inside a folder name does not end it.
 */
const EVIDENCE = /\s?\(evidence:([^]{1,2000}?)\)(?![^\s.,;:])/g;

export const evidenceIn = (text: string): string[] =>
  [...text.matchAll(EVIDENCE)].flatMap(([, inside = ""]) =>
    (inside.split(";", 1)[0] ?? "")
      .split(/,\s+/)
      .map((link) => link.trim())
      .filter((link) => link !== ""),
  );

export const withoutEvidence = (text: string): string => text.replace(EVIDENCE, "");
