/** `1 change`, `2 changes`. */
export const formatCount = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
