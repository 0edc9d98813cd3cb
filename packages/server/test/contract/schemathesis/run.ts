import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** A problem that Schemathesis found, and where. */
export interface Finding {
  /** The name of the failure, such as UndefinedStatusCode. */
  type: string;
  title: string;
  operation: string;
  /** What exactly was wrong with the request or the response. */
  message: string;
}

export interface Report {
  findings: Finding[];
  /** What prevented it from testing at all. */
  errors: string[];
  cases: number;
  operations: number;
}

export interface Wanted {
  /** The URL of the server. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** The maximum number of random cases per operation; those at the limits of its schemas come in addition. */
  examples: number;
  seed: number;
  /** The ids of operations: all except the first list, or only the second. */
  operations: { without: readonly string[] } | { only: readonly string[] };
  /** Additional settings. */
  settings: string;
  /** The parent of the folder for its files. */
  folder: string;
}

const commonSettings = join(import.meta.dirname, 'schemathesis.toml');

/** Returns the program in the variable, which may be empty, otherwise the one on the PATH. */
export function findSchemathesis(): string | undefined {
  const named = process.env.LATCHKEY_SCHEMATHESIS;
  if (named !== undefined) return named === '' ? undefined : named;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'schemathesis')).find((path) => existsSync(path));
}

const phases = ['examples', 'coverage', 'fuzzing', 'stateful'];

/** Runs all checks and phases against a server, as one caller. */
export async function runSchemathesis(program: string, wanted: Wanted): Promise<Report> {
  const { url, headers, examples, seed } = wanted;
  const folder = await mkdtemp(join(wanted.folder, 'run-'));
  const settings = join(folder, 'schemathesis.toml');
  await writeFile(settings, `${await readFile(commonSettings, 'utf8')}\n${wanted.settings}`);
  const file = join(folder, 'report.json');
  const events = join(folder, 'events.ndjson');
  const args = [
    ...[
      '--config-file',
      settings,
      'run',
      `${url}/openapi.json?all=true`,
      '--url',
      url,
      '--checks',
      'all',
      '--no-color',
    ],
    ...['--phases', phases.join(','), '--max-examples', String(examples), '--seed', String(seed), '--no-shrink'],
    ...['--report-json-path', file, '--report-ndjson-path', events, '--continue-on-failure'],
    ...['--suppress-health-check', 'all', '--request-timeout', '60', '--warnings', 'off'],
    ...['--generation-with-security-parameters', 'false', '--generation-database', 'none'],
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}:${value}`]),
    ...chosen(wanted.operations),
  ];
  // It exits with 1 if it found something; the findings are in the report.
  const output = await new Promise<string>((resolve) => {
    execFile(program, args, { maxBuffer: 1e8, cwd: folder }, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  if (!existsSync(file)) throw new Error(`Schemathesis wrote no report:\n${output.slice(-4_000)}`);
  return readReport(await readFile(file, 'utf8'), await readFile(events, 'utf8'));
}

function chosen(operations: Wanted['operations']): string[] {
  if ('only' in operations) return operations.only.flatMap((id) => ['--include-operation-id', id]);
  return operations.without.flatMap((id) => ['--exclude-operation-id', id]);
}

interface Document {
  operations: { tested: number } | null;
  test_cases: { generated: number };
  errors: { title: string; count: number }[];
}

interface Event {
  ScenarioFinished?: {
    recorder?: { checks?: Record<string, { failure_info?: { failure: Finding } | null }[]> } | null;
  };
}

function readReport(text: string, events: string): Report {
  const { operations, test_cases: cases, errors } = JSON.parse(text) as Document;
  return {
    findings: readFindings(events),
    errors: errors.map(({ title, count }) => `${title} (${count})`),
    cases: cases.generated,
    operations: operations?.tested ?? 0,
  };
}

/** Each finding once, however many requests showed it. */
function readFindings(events: string): Finding[] {
  const findings = new Map<string, Finding>();
  for (const line of events.split('\n').filter((one) => one !== '')) {
    const checks = (JSON.parse(line) as Event).ScenarioFinished?.recorder?.checks ?? {};
    for (const { failure_info: info } of Object.values(checks).flat()) {
      if (info === undefined || info === null) continue;
      const { type, title, operation, message } = info.failure;
      const [last = ''] = message.split('\n').slice(-1);
      findings.set(`${type} ${operation} ${last}`, { type, title, operation, message: last });
    }
  }
  return [...findings.values()];
}
