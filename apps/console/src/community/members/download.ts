import { ask } from '../../shared/api/index.ts';

/** Reads the file of an export, part by part, and gives it to the browser to keep. */
export async function downloadExport(communityId: string, exportId: string, name: string): Promise<void> {
  const parts: string[] = [];
  let paginationToken: string | undefined;
  do {
    const page = await ask('GET /latchkey/communities/{communityId}/member-exports/{exportId}/content', {
      communityId,
      exportId,
      limit: 20,
      ...(paginationToken !== undefined && { paginationToken }),
    });
    parts.push(...page.items.map(({ content }) => content));
    paginationToken = page.paginationToken;
  } while (paginationToken !== undefined);
  // The mark at the beginning tells spreadsheets that it is UTF-8.
  const url = URL.createObjectURL(new Blob(['\uFEFF', ...parts], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by the next turn of its loop.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
