/** Replaces the `debug` package, a dependency of the secret rules whose output is not used. */
// oxlint-disable-next-line no-default-export -- as the package does
export default (): (() => void) => () => undefined;
