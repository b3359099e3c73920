import type * as z from "zod";
import type { Page } from "#domain/page.ts";
import { plain } from "#domain/quote.ts";
import type { AdrView } from "./schema.ts";

export type View = z.infer<typeof AdrView>;

export function adrPage(title: string, adr: View): Page {
  return {
    title,
    facts: [
      ["decision", `${adr.ref}: ${plain(adr.title, 200)}`],
      ["status", adr.superseded_by ? `${adr.status} by ${adr.superseded_by}` : adr.status],
      ["file", adr.path],
      ...(adr.supersedes ? [["supersedes", adr.supersedes] as const] : []),
    ],
  };
}
