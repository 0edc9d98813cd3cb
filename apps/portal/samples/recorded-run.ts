import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { latchkeyVersion } from '@latchkey/server/facts';

const file = join(import.meta.dirname, 'recorded-run.json');

/** The last recorded run of the samples against a server: when, with which version, and which samples got what they expect. */
interface RecordedRun {
  date: string;
  version: string;
  /** By a hash of their text, so that a sample that was changed since has no record. */
  samples: string[];
}

let known: RecordedRun | undefined;

function readRecord(): RecordedRun {
  known ??= existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as RecordedRun)
    : { date: '', version: '', samples: [] };
  return known;
}

function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Records the samples that ran, today and with this version. */
export function recordRun(texts: readonly string[], date = new Date()): void {
  const samples = [...new Set(texts.map(nameOf))].sort();
  const record = { date: date.toISOString().slice(0, 10), version: latchkeyVersion, samples };
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
}

/** Returns when and with which version a sample ran, in the words of its status line; undefined if that was not recorded. */
export function describeRun(text: string, record: RecordedRun = readRecord()): string | undefined {
  return record.samples.includes(nameOf(text)) ? `ran on ${record.date} with ${record.version}` : undefined;
}
