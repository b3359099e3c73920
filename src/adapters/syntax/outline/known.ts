import type { LanguageOutline } from "./language.ts";
import { c, cpp } from "./languages/c.ts";
import { csharp } from "./languages/csharp.ts";
import { go } from "./languages/go.ts";
import { java } from "./languages/java.ts";
import { php } from "./languages/php.ts";
import { python } from "./languages/python.ts";
import { ruby } from "./languages/ruby.ts";
import { rust } from "./languages/rust.ts";
import { typescript } from "./languages/typescript.ts";

export const LANGUAGES: Readonly<Partial<Record<string, LanguageOutline>>> = {
  c,
  cpp,
  csharp,
  go,
  java,
  javascript: typescript,
  php,
  python,
  ruby,
  rust,
  tsx: typescript,
  typescript,
};
