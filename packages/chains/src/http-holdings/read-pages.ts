import { ServiceFailed } from '@latchkey/adapter-kit';

/** Reads pages, numbered from 0, until the last. Fails with `tooMany` above `maxPages`: part of the holdings would look like too little. */
export async function readPages<Row>(
  { maxPages, tooMany }: { maxPages: number; tooMany: string },
  readPage: (page: number, before: readonly Row[]) => Promise<{ rows: readonly Row[]; isLast: boolean }>,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let page = 0; page < maxPages; page += 1) {
    const { rows, isLast } = await readPage(page, all);
    all.push(...rows);
    if (isLast) return all;
  }
  throw new ServiceFailed(tooMany);
}
