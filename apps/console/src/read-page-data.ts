import type { PageData } from '@latchkey/kernel';

/** Returns the data that the server put into the page. */
export function readPageData(): PageData {
  return JSON.parse(document.getElementById('page-data')?.textContent ?? '');
}
