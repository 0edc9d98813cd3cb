import { glyphOf, type Side } from './glyphs.ts';

const bearings: Readonly<Record<Side, number>> = { s: 12.5, r: 9, o: 6.5 };
const spaceWidth = 27;
/** Pairs whose open sides leave a hole between them, and how much closer they stand. */
const closer: Readonly<Record<string, number>> = {
  AT: 9,
  AV: 10,
  AW: 8,
  AY: 9,
  TA: 9,
  VA: 10,
  WA: 8,
  YA: 9,
  LT: 9,
  LV: 8,
  LY: 9,
  PA: 8,
  FA: 7,
  Ta: 12,
  Te: 12,
  To: 12,
  Tr: 9,
  Tu: 9,
  Ty: 9,
  Tw: 9,
  Va: 6,
  Ve: 6,
  Vo: 6,
  We: 4,
  Wa: 4,
  Wo: 4,
  Wr: 3,
  Ya: 9,
  Ye: 9,
  Yo: 9,
  ry: -2,
  rv: -2,
  'r.': 7,
  'r,': 7,
  'y.': 5,
  'y,': 5,
  'v.': 5,
  'w.': 4,
  ff: -1,
  ft: 0,
  tt: 0,
};

export interface SetLine {
  /** Its letters as SVG paths to be stroked, from x = 0 on, the base line at y = 0. */
  paths: string;
  width: number;
}

/** Sets a line in units of the alphabet. */
export function setLine(text: string): SetLine {
  const parts: string[] = [];
  let x = 0;
  let before = '';
  for (const character of text) {
    x -= closer[`${before}${character}`] ?? 0;
    before = character;
    if (/\s/.test(character)) {
      x += spaceWidth;
      continue;
    }
    const { width, sides, path } = glyphOf(character);
    x += bearings[sides[0]];
    parts.push(`<path transform="translate(${Math.round(x * 10) / 10})" d="${path}"/>`);
    x += width + bearings[sides[1]];
  }
  return { paths: parts.join(''), width: x };
}

/** Breaks a text into lines no wider than asked, as even as they can be without more lines. */
export function breakLines(text: string, maxWidth: number): string[] {
  const fewest = fill(text, maxWidth);
  let narrow = 0;
  let wide = maxWidth;
  while (wide - narrow > 8) {
    const middle = (narrow + wide) / 2;
    const lines = fill(text, middle);
    if (lines.length > fewest.length || lines.some((line) => setLine(line).width > middle)) narrow = middle;
    else wide = middle;
  }
  return fill(text, wide);
}

function fill(text: string, maxWidth: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && setLine(longer).width <= maxWidth) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
