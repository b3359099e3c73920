/** Stands in for the `debug` package, which the secret rules bring along and nobody here listens to. */
// oxlint-disable-next-line no-default-export -- as the package does
export default (): (() => void) => () => undefined;
