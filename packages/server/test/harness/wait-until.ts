/** Waits until a condition holds, and fails when it does not in time. */
export async function waitUntil(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  timeoutMs = 20_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`It took too long until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
