import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** Pictures are taken at this density, so that they are sharp on most screens. */
export const density = 2;

export const picturesFolder = fileURLToPath(new URL('../static/img/screens', import.meta.url));

export function pictureFile(name: string, theme: Theme): string {
  return join(picturesFolder, `${name}.${theme}.webp`);
}

export interface Size {
  width: number;
  height: number;
}

/** The size of a WebP picture in pixels, by its first bytes (RFC 9649, sections 2.5 to 2.7). */
export function sizeOfWebp(file: string): Size {
  const head = readStart(file, 30);
  const kind = head.toString('latin1', 12, 16);
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WEBP')
    throw new Error(`${file} is not a WebP image.`);
  if (kind === 'VP8 ') return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  if (kind === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  const bits = head.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function readStart(path: string, length: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    readSync(file, bytes, 0, length, 0);
    return bytes;
  } finally {
    closeSync(file);
  }
}
