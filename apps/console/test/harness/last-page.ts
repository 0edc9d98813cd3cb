import type { SuiteContext, TestContext } from 'node:test';
import type { Page, Request } from 'playwright-core';

let shown: string | undefined;

/** Notes what a page asks for, and gives a function that keeps what it shows and was refused before it is closed. */
export function watchPage(page: Page): () => Promise<void> {
  const requests = new Set<Request>();
  const refused: string[] = [];
  page.on('request', (request) => requests.add(request));
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => {
    requests.delete(request);
    refused.push(`${nameOf(request)}: ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${nameOf(response.request())}: ${response.status()}`);
  });
  return async () => {
    const text = await page.evaluate(() => document.body.innerText).catch(() => 'nothing that can be read');
    const waiting = [...requests].map((request) => `${nameOf(request)}: no answer`);
    shown = [`${page.url()} showed`, text, ...refused, ...waiting].join('\n');
  };
}

function nameOf(request: Request): string {
  return `${request.method()} ${request.url()}`;
}

/** For `afterEach`: tells what the last page of a test that failed showed, since a wait in vain says only what was missing. */
export function printLastPage(t: TestContext | SuiteContext): void {
  if ('passed' in t && !t.passed && shown !== undefined) t.diagnostic(shown);
  shown = undefined;
}
