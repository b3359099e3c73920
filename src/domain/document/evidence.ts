/**
 * `(evidence: src/app.ts:12, src/db.ts:3; confidence: high)`. A closing bracket inside a folder name does not end it.
 */
const EVIDENCE_PATTERN = /\s?\(evidence:([^]{1,2000}?)\)(?![^\s.,;:])/g;

export const listEvidenceLinks = (text: string): string[] =>
  [...text.matchAll(EVIDENCE_PATTERN)].flatMap(([, inside = ""]) =>
    (inside.split(";", 1)[0] ?? "")
      .split(/,\s+/)
      .map((link) => link.trim())
      .filter((link) => link !== ""),
  );

export const stripEvidence = (text: string): string => text.replace(EVIDENCE_PATTERN, "");
