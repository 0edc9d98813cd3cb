import { escapeAttribute } from './edit-text.ts';
import { markdownPath } from './emulator-path.ts';
import { absolute, metaOf, type Page, type Site } from './page.ts';
import { previewSize } from './preview/draw-preview.ts';

/** What the head of a page says to machines beyond what the site's generator wrote: its Markdown and its preview. */
export function headTags({ head, route, title }: Page, preview: { path: string; section: string }, site: Site): string {
  const emulator = `<link rel="alternate" type="text/markdown" href="${escapeAttribute(new URL(absolute(markdownPath(route), site)).pathname)}">`;
  // A page that names an image of its own keeps it.
  if (metaOf(head, 'og:image') !== undefined) return emulator;
  const properties: Record<string, string> = {
    'og:image': absolute(preview.path, site),
    'og:image:type': 'image/png',
    'og:image:width': String(previewSize.width),
    'og:image:height': String(previewSize.height),
    'og:image:alt': title === preview.section ? title : `${title} (${preview.section})`,
  };
  const tags = Object.entries(properties).map(
    ([property, content]) => `<meta property="${property}" content="${escapeAttribute(content)}">`,
  );
  const card =
    metaOf(head, 'twitter:card') === undefined ? '<meta name="twitter:card" content="summary_large_image">' : '';
  return [emulator, ...tags, card].join('');
}
