/** Prints whether a figure is as promised. If it is not, the benchmark goes on and fails at its end. */
export function expectPromised(isKept: boolean, words: string): void {
  console.log(`${words}: ${isKept ? 'met' : 'MISSED'}`);
  if (!isKept) process.exitCode = 1;
}
