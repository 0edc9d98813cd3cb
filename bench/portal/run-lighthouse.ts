import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browserProgram } from '@latchkey/console/testing';
import { servePortal } from '@latchkey/server/portal';
import { benchFolder } from './folders.ts';

export interface Audit {
  performance: number;
  accessibility: number;
  bestPractices: number;
  seo: number;
  blockingMs: number;
  largestPaintMs: number;
  /** Compressed, as sent: what the page itself runs. */
  scriptKilobytes: number;
  /** Compressed: what it prefetches for the next pages. */
  aheadKilobytes: number;
}

interface Report {
  categories: Record<string, { score: number | null }>;
  audits: Record<string, { numericValue?: number; details?: { items?: Request[] } }>;
}

interface Request {
  url: string;
  transferSize: number;
  priority: string;
}

const cli = join(benchFolder, 'node_modules/lighthouse/cli/index.js');
const categories = ['performance', 'accessibility', 'best-practices', 'seo'];

/** Runs Lighthouse once with its mobile settings, in a separate browser, on a page of a built site. */
export async function audit(folder: string, path: string): Promise<Audit> {
  const site = await servePortal({ folder, host: '127.0.0.1', port: 0 });
  try {
    return await auditPage(`${site.url}${path}`);
  } finally {
    await site.close();
  }
}

/** Does the same on a page of any server. */
export async function auditPage(url: string): Promise<Audit> {
  const output = await mkdtemp(join(tmpdir(), 'latchkey-bench-'));
  try {
    const file = join(output, 'report.json');
    await run(
      cli,
      url,
      '--quiet',
      '--output=json',
      `--output-path=${file}`,
      `--only-categories=${categories.join(',')}`,
      '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
    );
    return read(JSON.parse(await readFile(file, 'utf8')));
  } finally {
    await rm(output, { recursive: true, force: true });
  }
}

function read({ categories: scores, audits }: Report): Audit {
  const score = (name: string) => Math.round((scores[name]?.score ?? 0) * 100);
  const scripts = (audits['network-requests']?.details?.items ?? []).filter(({ url }) => url.endsWith('.js'));
  const kilobytes = (list: Request[]) => list.reduce((sum, { transferSize }) => sum + transferSize, 0) / 1024;
  // Browsers give prefetches the lowest priority.
  const isAhead = ({ priority }: Request) => priority === 'VeryLow';
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    seo: score('seo'),
    blockingMs: audits['total-blocking-time']?.numericValue ?? Number.NaN,
    largestPaintMs: audits['largest-contentful-paint']?.numericValue ?? Number.NaN,
    scriptKilobytes: kilobytes(scripts.filter((one) => !isAhead(one))),
    aheadKilobytes: kilobytes(scripts.filter(isAhead)),
  };
}

function run(...args: string[]): Promise<void> {
  const env = { ...process.env, CHROME_PATH: browserProgram() };
  return new Promise((resolve, reject) => {
    spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
      .once('error', reject)
      .once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`Lighthouse ended with ${code}.`))));
  });
}
