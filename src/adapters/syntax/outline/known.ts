import type { LanguageOutline } from "./language.ts";
import { cOutline, cppOutline } from "./languages/c.ts";
import { csharpOutline } from "./languages/csharp.ts";
import { goOutline } from "./languages/go.ts";
import { javaOutline } from "./languages/java.ts";
import { phpOutline } from "./languages/php.ts";
import { pythonOutline } from "./languages/python.ts";
import { rubyOutline } from "./languages/ruby.ts";
import { rustOutline } from "./languages/rust.ts";
import { typescriptOutline } from "./languages/typescript.ts";

export const OUTLINES_BY_GRAMMAR: Readonly<Partial<Record<string, LanguageOutline>>> = {
  c: cOutline,
  cpp: cppOutline,
  csharp: csharpOutline,
  go: goOutline,
  java: javaOutline,
  javascript: typescriptOutline,
  php: phpOutline,
  python: pythonOutline,
  ruby: rubyOutline,
  rust: rustOutline,
  tsx: typescriptOutline,
  typescript: typescriptOutline,
};
