/** More than any platform needs for a small picture. */
export const maxPictureBytes = 262_144;
/** A small file can decompress to a picture that no browser has the memory for. */
const maxSide = 2_048;

export type PictureType = 'image/gif' | 'image/jpeg' | 'image/png' | 'image/webp';

interface Size {
  width: number;
  height: number;
}

/**
 * Detects the type of a picture from its bytes, whatever its host declares. Undefined for everything that is not shown:
 * other formats (SVG can contain scripts), and pictures that are too large.
 */
export function recognizePicture(picture: Uint8Array): PictureType | undefined {
  const bytes = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  if (bytes.length > maxPictureBytes) return undefined;
  const found = readers.find(({ isOne }) => isOne(bytes));
  const size = found?.sizeOf(bytes);
  return found !== undefined && size !== undefined && isShown(size) ? found.type : undefined;
}

function isShown({ width, height }: Size): boolean {
  return width > 0 && height > 0 && width <= maxSide && height <= maxSide;
}

const readers: readonly {
  type: PictureType;
  isOne(bytes: Buffer): boolean;
  sizeOf(bytes: Buffer): Size | undefined;
}[] = [
  {
    type: 'image/png',
    isOne: (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n') && startsWith(bytes, 'IHDR', 12),
    sizeOf: (bytes) =>
      bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) },
  },
  {
    type: 'image/gif',
    isOne: (bytes) => startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a'),
    sizeOf: (bytes) =>
      bytes.length < 10 ? undefined : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) },
  },
  { type: 'image/jpeg', isOne: (bytes) => startsWith(bytes, '\xff\xd8\xff'), sizeOf: sizeOfJpeg },
  {
    type: 'image/webp',
    isOne: (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8),
    sizeOf: sizeOfWebp,
  },
];

function startsWith(bytes: Buffer, text: string, at = 0): boolean {
  return bytes.toString('latin1', at, at + text.length) === text;
}

/** Walks the segments up to the start of the frame (ITU T.81, B.1.1). */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const beginsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (beginsFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** The three forms of the first chunk (RFC 9649). */
function sizeOfWebp(bytes: Buffer): Size | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
