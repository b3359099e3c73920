/** Maps an offset to its line number, counting from 1. */
export function createLineCounter(text: string): (at: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (at) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? Infinity) <= at) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
