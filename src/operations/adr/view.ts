import type * as z from "zod";
import type { Page } from "#domain/page.ts";
import { sanitizeText } from "#domain/quote.ts";
import type { AdrView } from "./schema.ts";

export type DecisionViewData = z.infer<typeof AdrView>;

export function formatDecisionPage(title: string, adr: DecisionViewData): Page {
  return {
    title,
    facts: [
      ["decision", `${adr.ref}: ${sanitizeText(adr.title, 200)}`],
      ["status", adr.superseded_by ? `${adr.status} by ${adr.superseded_by}` : adr.status],
      ["file", adr.path],
      ...(adr.supersedes ? [["supersedes", adr.supersedes] as const] : []),
    ],
  };
}
