import type { PageData } from '@latchkey/kernel';

/** What the server that wrote the page told it. */
export function readPageData(): PageData {
  return JSON.parse(document.getElementById('page-data')?.textContent ?? '');
}
