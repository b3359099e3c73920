/**
 * A port with some methods replaced. Ports of an engine load on first use, so their methods cannot be spread. A method
 * of a class runs on the port itself, which has the private fields.
 */
export const overridePort = <Port extends object>(port: Port, changes: Partial<Port>): Port =>
  new Proxy(port, {
    get: (target, name) => {
      if (Reflect.has(changes, name)) return Reflect.get(changes, name) as unknown;
      const found: unknown = Reflect.get(target, name);
      return typeof found === "function" ? (found.bind(target) as unknown) : found;
    },
  });
