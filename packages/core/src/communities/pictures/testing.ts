/** The first bytes of an image, enough to show its type and size. */
export function png(width: number, height: number): Buffer {
  const bytes = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\0\0\0\0\0\x08\x02\0\0\0', 'latin1');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

export function gif(width: number, height: number): Buffer {
  const bytes = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

/** With a segment before the frame, as cameras write them, and a fill byte. */
export function jpeg(width: number, height: number): Buffer {
  const bytes = Buffer.from('\xff\xd8\xff\xe0\0\x06JFIF\xff\xff\xc2\0\x0b\x08\0\0\0\0\x01\0\0\0', 'latin1');
  bytes.writeUInt16BE(height, 16);
  bytes.writeUInt16BE(width, 18);
  return bytes;
}

export function webp(width: number, height: number): Buffer {
  const bytes = Buffer.from('RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\0\0\0\0\0\0', 'latin1');
  bytes.writeUInt16LE(width, 26);
  bytes.writeUInt16LE(height, 28);
  return bytes;
}
