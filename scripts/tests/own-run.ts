export const passing = `import { test } from 'node:test'; test('it works', () => {});`;
export const usualLimits = { silenceLimitMs: 600_000 };

/** Runs work as a separate test run: a nested run would consider itself part of the outer one. */
export async function asOwnRun<Result>(work: () => Promise<Result>): Promise<Result> {
  const context = process.env.NODE_TEST_CONTEXT;
  delete process.env.NODE_TEST_CONTEXT;
  try {
    return await work();
  } finally {
    process.env.NODE_TEST_CONTEXT = context;
  }
}

export const never = new AbortController().signal;

export function lastLine(text: string): string | undefined {
  return text.trimEnd().split('\n').at(-1);
}
