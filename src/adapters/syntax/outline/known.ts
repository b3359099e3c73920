import type { LanguageOutline } from "./language.ts";
import { typescript } from "./languages/typescript.ts";

/** By the names of their grammars. */
export const LANGUAGES: Readonly<Partial<Record<string, LanguageOutline>>> = {
  javascript: typescript,
  tsx: typescript,
  typescript,
};
