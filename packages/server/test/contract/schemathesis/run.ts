import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** What Schemathesis found wrong, and where. */
export interface Finding {
  /** The name of the failure, such as UndefinedStatusCode. */
  type: string;
  title: string;
  operation: string;
}

export interface Report {
  findings: Finding[];
  /** What kept it from testing at all. */
  errors: string[];
  cases: number;
  operations: number;
}

export interface Wanted {
  /** Where the server is asked. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The most cases that are drawn for an operation; those at the edges of its schemas come besides. */
  examples: number;
  seed: number;
  /** Operations to leave out, by their ids. */
  leftOut: readonly string[];
  /** Where its files go. */
  folder: string;
}

const settings = join(import.meta.dirname, 'schemathesis.toml');

/** The program that is named, which may be none, or else the one on the PATH. */
export function findSchemathesis(): string | undefined {
  const named = process.env.LATCHKEY_SCHEMATHESIS;
  if (named !== undefined) return named === '' ? undefined : named;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'schemathesis')).find((path) => existsSync(path));
}

/** Runs all checks and phases against a server, as one caller. */
export async function runSchemathesis(program: string, wanted: Wanted): Promise<Report> {
  const { url, headers, examples, seed, leftOut, folder } = wanted;
  const file = join(folder, 'report.json');
  const args = [
    ...['--config-file', settings, 'run', `${url}/openapi.json`, '--url', url, '--checks', 'all', '--no-color'],
    ...['--max-examples', String(examples), '--seed', String(seed), '--no-shrink', '--generation-database', 'none'],
    ...['--report-json-path', file, '--report-ndjson-path', join(folder, 'events.ndjson'), '--continue-on-failure'],
    ...['--suppress-health-check', 'all', '--request-timeout', '60', '--warnings', 'off'],
    ...['--generation-with-security-parameters', 'false'],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}:${value}`]),
    ...leftOut.flatMap((id) => ['--exclude-operation-id', id]),
  ];
  // It ends with 1 when it found something; what it found is in the report.
  const output = await new Promise<string>((resolve) => {
    execFile(program, args, { maxBuffer: 1e8, cwd: folder }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  if (!existsSync(file)) throw new Error(`Schemathesis wrote no report:\n${output.slice(-4_000)}`);
  return readReport(await readFile(file, 'utf8'));
}

interface Document {
  operations: { tested: number } | null;
  test_cases: { generated: number };
  failures: { type: string; title: string; operations: string[] }[];
  errors: { title: string; count: number }[];
}

function readReport(text: string): Report {
  const { operations, test_cases: cases, failures, errors } = JSON.parse(text) as Document;
  return {
    findings: failures.flatMap(({ type, title, operations: routes }) =>
      routes.map((operation) => ({ type, title, operation })),
    ),
    errors: errors.map(({ title, count }) => `${title} (${count})`),
    cases: cases.generated,
    operations: operations?.tested ?? 0,
  };
}
