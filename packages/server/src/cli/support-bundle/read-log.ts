import { open } from 'node:fs/promises';
import { redact } from '../../log.ts';

const mostBytes = 4_000_000;
const mostLines = 500;
/** As pino writes levels. */
const warn = 40;

export interface LogExcerpt {
  lines: unknown[];
  /** Lines that are none of Latchkey's own, which may contain anything. */
  foreign: number;
  /** Warnings and errors that are older than those shown. */
  older: number;
  /** Whether the file is longer than what was read. */
  isCut: boolean;
}

/** Reads the latest warnings and errors at the end of a log file. */
export async function readLog(path: string): Promise<LogExcerpt> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, mostBytes);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return excerptOf(buffer.toString('utf8'), size > length);
  } finally {
    await file.close();
  }
}

function excerptOf(text: string, isCut: boolean): LogExcerpt {
  // The first line of a part of a file is probably half a line.
  const lines = text.split('\n').slice(isCut ? 1 : 0);
  const parsed = lines.filter((line) => line.trim() !== '').map(parse);
  const serious = parsed.filter((line) => line !== undefined && Number(line.level) >= warn);
  return {
    lines: serious.slice(-mostLines).map((line) => redact(line)),
    foreign: parsed.filter((line) => line === undefined).length,
    older: Math.max(0, serious.length - mostLines),
    isCut,
  };
}

/** `docker compose logs` puts the name of the container in front. */
function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.slice(Math.max(0, line.indexOf('{'))));
    return typeof value === 'object' && value !== null && 'level' in value ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
