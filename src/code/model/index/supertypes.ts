/** Classes and interfaces that a declaration names as its bases, from its signature; the last part of each name. */
export function listSupertypes(language: string, signature: string): string[] {
  const text = stripTypeArguments(signature.replace(/\s+/g, " "));
  const named =
    SUPERTYPE_CLAUSES[language]?.flatMap((pattern) => [...text.matchAll(pattern)].map(([, list = ""]) => list)) ?? [];
  const names = named
    .flatMap((list) => list.split(/[,&+]/))
    .flatMap((part) => {
      const name = part.replace(/^\s*(?:public|private|protected|virtual|dyn|\?)\s+/g, "").replace(/\(.*$/, "");
      return name.includes("=") ? [] : (/([\p{L}_$][\p{L}\p{N}_$]*)\s*$/u.exec(name.trim())?.[1] ?? []);
    });
  return [...new Set(names)].slice(0, MAX_SUPERTYPES);
}

const MAX_SUPERTYPES = 20;
const SCRIPT_CLAUSES = [/\bextends ([^{]+?)(?= implements | \{|$)/g, /\bimplements ([^{]+?)(?= \{|$)/g];
const SUPERTYPE_CLAUSES: Readonly<Partial<Record<string, readonly RegExp[]>>> = {
  typescript: SCRIPT_CLAUSES,
  tsx: SCRIPT_CLAUSES,
  javascript: SCRIPT_CLAUSES,
  java: [/\bextends ([^{]+?)(?= implements | permits | \{|$)/g, /\bimplements ([^{]+?)(?= permits | \{|$)/g],
  php: SCRIPT_CLAUSES,
  python: [/^class \w+ ?\((.*)\)/g],
  ruby: [/^class [\w:]+ < ([\w:]+)/g],
  csharp: [/\b(?:class|struct|record|interface) \w+(?: ?\([^)]*\))? ?: ([^{]+?)(?= where | \{|$)/g],
  cpp: [/\b(?:class|struct) \w+(?: final)? ?: ([^{]+)/g],
  rust: [/\btrait \w+ ?: ([^{]+?)(?= where | \{|$)/g],
};

function stripTypeArguments(text: string): string {
  let plain = text;
  // From the inside out; a comparison in a default value is left as it is.
  for (let depth = 0; depth < 5 && /<[^<>()]*>/.test(plain); depth++) plain = plain.replaceAll(/<(?!\s)[^<>()]*>/g, "");
  return plain.replaceAll(/\[[^\][]*\]/g, "");
}
