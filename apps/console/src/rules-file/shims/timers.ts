/** What the evaluator of rules uses of `node:timers/promises`. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
