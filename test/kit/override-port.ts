/** A port with some methods replaced. Ports of an engine load on first use, so their methods cannot be spread. */
export const overridePort = <Port extends object>(port: Port, changes: Partial<Port>): Port =>
  new Proxy(port, {
    get: (target, name) => Reflect.get(Reflect.has(changes, name) ? changes : target, name) as unknown,
  });
