/** `order` for `orders`; regular English only. */
export function toSingular(word: string): string {
  if (/(?:ss|us|is|news|series)$/i.test(word) || word.length < 4) return word;
  if (/ies$/i.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:s|x|z|ch|sh)es$/i.test(word)) return word.slice(0, -2);
  return word.replace(/s$/i, "");
}

export const isPluralWord = (word: string): boolean => toSingular(word) !== word;

export function toPlural(word: string): string {
  if (isPluralWord(word)) return word;
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(word) ? `${word}es` : `${word}s`;
}

/** `order item` for `order_items`, `OrderItem` and `orderItems`. */
export function splitEntityName(name: string): string {
  const words = name
    .replace(/[_\-.]+/g, " ")
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
    .toLowerCase()
    .trim()
    .split(/\s+/);
  return [...words.slice(0, -1), toSingular(words.at(-1) ?? "")].join(" ");
}

/** A key that is equal for a table, class or struct of the same entity. */
export const createEntityKey = (name: string): string => splitEntityName(name).replaceAll(" ", "");

export const capitalizeText = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
