/** Runs all benchmarks, or the named ones: `npm run bench`, `npm run bench -- http`. Each prints ratios against a named baseline. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const all = [
  'jobs',
  'http',
  'start',
  'reads',
  'writer',
  'transfers',
  'checks',
  'queries',
  'rule-analysis',
  'scale',
  'resyncs',
  'links',
  'members',
  'near-index',
  'oauth',
  'console',
  'portal',
  'description',
];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. Choose from ${all.join(', ')}.`);
  process.exit(1);
}
for (const name of wanted.length > 0 ? wanted : all) {
  console.log(`\n${name}`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`)], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
