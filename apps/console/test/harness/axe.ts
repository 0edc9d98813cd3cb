import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds wrong with a page, or with the part of it that a selector names. A page whose policy lets no other
 * script in must have been opened with `bypassCSP`.
 */
export async function findViolations(page: Page, inside?: string): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in window);
  if (!isThere) await page.evaluate(source);
  return page.evaluate(async (selector) => {
    const { axe } = window as unknown as {
      axe: { run(inside: string | Document, options: RunOptions): Promise<AxeResults> };
    };
    // Without it, axe also writes down how to find each element that is as it should be, which is nearly all it does.
    const { violations } = await axe.run(selector ?? document, { resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, inside);
}
