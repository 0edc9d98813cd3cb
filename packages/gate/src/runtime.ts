export function nowMs(): number {
  return Date.now();
}

/** Where a failure goes that the visitor is not told of. */
export function printError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: callers that want it elsewhere pass onError.
  console.error(error);
}
