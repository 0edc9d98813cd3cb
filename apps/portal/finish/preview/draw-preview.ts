import { breakLines, type SetLine, setLine } from './set-text.ts';

export interface PreviewText {
  title: string;
  /** The part of the site the page belongs to, or the site itself. */
  section: string;
}

export const previewSize = { width: 1200, height: 630 };

/** The colours of the light theme: see src/css/site.css. */
const colours = { paper: '#fbfaf5', ink: '#1d2321', accent: '#175c4c' };
const margin = 84;
export const textWidth = 690;
export const capHeight = 70;

/** Sizes of the title, the largest first: how many lines it may have at this height of its capitals. */
const sizes = [
  { capPx: 58, lines: 2 },
  { capPx: 50, lines: 3 },
  { capPx: 42, lines: 4 },
  { capPx: 34, lines: 5 },
] as const;

/**
 * The preview of a page as SVG: the mark, the title, the part of the site; to the right the door of the mark at large.
 * @param mark what is inside the SVG of the mark, which is 32 units wide and high
 */
export function drawPreview({ title, section }: PreviewText, mark: string): string {
  const { capPx, lines } = fitTitle(title);
  const leading = capPx * 1.72;
  const first = 352 - ((lines.length - 1) * leading) / 2 + capPx / 2;
  const { width, height } = previewSize;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${colours.paper}"/>`,
    door(mark),
    `<g transform="translate(${margin} 74) scale(2)">${mark}</g>`,
    written(setLine('Latchkey'), { x: margin + 84, y: 118, capPx: 27, colour: colours.ink, weight: 9.5 }),
    written(setLine(section), { x: margin, y: 556, capPx: 19, colour: colours.accent, weight: 9.5 }),
    ...lines.map((line, index) =>
      written(setLine(line), { x: margin - 4, y: first + index * leading, capPx, colour: colours.ink, weight: 9.5 }),
    ),
    '</svg>',
  ].join('');
}

/** The mark, so large that only its door is seen, standing on the lower edge. */
function door(mark: string): string {
  const { width, height } = previewSize;
  const left = 852;
  const scale = 20;
  const x = (left + width) / 2 - 16 * scale;
  const y = height - 27 * scale;
  return [
    `<clipPath id="door"><rect x="${left}" width="${width - left}" height="${height}"/></clipPath>`,
    `<g clip-path="url(#door)"><rect x="${left}" width="${width - left}" height="${height}" fill="${colours.accent}"/>`,
    `<g transform="translate(${x} ${y}) scale(${scale})">${mark}</g></g>`,
  ].join('');
}

/** Breaks a title into lines, as large as there is room for. */
export function fitTitle(title: string): { capPx: number; lines: string[] } {
  for (const { capPx, lines: most } of sizes) {
    const lines = breakLines(title, (textWidth * capHeight) / capPx);
    if (lines.length <= most && widest(lines) * capPx <= textWidth * capHeight) return { capPx, lines };
  }
  const { capPx, lines: most } = sizes[3];
  const all = breakLines(title, (textWidth * capHeight) / capPx);
  const lines = all.length <= most ? all : [...all.slice(0, most - 1), '…'];
  return { capPx: Math.min(capPx, (textWidth * capHeight) / widest(lines)), lines };
}

function widest(lines: readonly string[]): number {
  return Math.max(...lines.map((line) => setLine(line).width));
}

function written(line: SetLine, at: { x: number; y: number; capPx: number; colour: string; weight: number }): string {
  const scale = at.capPx / capHeight;
  return `<g transform="translate(${at.x} ${at.y}) scale(${scale})" fill="none" stroke="${at.colour}" stroke-width="${at.weight}" stroke-linecap="round" stroke-linejoin="round">${line.paths}</g>`;
}
