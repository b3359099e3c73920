/** `(evidence: src/app.ts:12, src/db.ts:3; confidence: high)`. The name of a folder may hold brackets; then more follows. */
const EVIDENCE = /\s?\(evidence:([^]{1,2000}?)\)(?![^\s.,;:])/g;

/** The places that a text names as its evidence, as it writes them: `src/app.ts:12`. */
export const evidenceIn = (text: string): string[] =>
  [...text.matchAll(EVIDENCE)].flatMap(([, inside = ""]) =>
    (inside.split(";", 1)[0] ?? "")
      .split(/,\s+/)
      .map((link) => link.trim())
      .filter((link) => link !== ""),
  );

/** A text without its evidence: what it says, and not where it was found. */
export const withoutEvidence = (text: string): string => text.replace(EVIDENCE, "");
