import type { LanguageOutline } from "./language.ts";
import { go } from "./languages/go.ts";
import { python } from "./languages/python.ts";
import { rust } from "./languages/rust.ts";
import { typescript } from "./languages/typescript.ts";

/** By the names of their grammars. */
export const LANGUAGES: Readonly<Partial<Record<string, LanguageOutline>>> = {
  go,
  javascript: typescript,
  python,
  rust,
  tsx: typescript,
  typescript,
};
