/**
 * Compares the documentation portal with an unmodified Docusaurus site with the same pages and with the default Redoc preset: Lighthouse,
 * the JavaScript of a page, the time to the first operation, the build time. Run it with nothing else running. Each site is served by the
 * same server. `npm run bench -- portal` takes about half an hour on two cores.
 */
import { servePortal } from '@latchkey/server/portal';
import { expectBaseline } from './baseline.ts';
import { buildSites } from './portal/build-sites.ts';
import { expectSight, lookAt } from './portal/expect-page.ts';
import { type FirstSight, firstOperation } from './portal/first-operation.ts';
import { installTools } from './portal/install-tools.ts';
import { median } from './portal/median.ts';
import { type Audit, audit } from './portal/run-lighthouse.ts';

const rounds = 5;
/** The minimum lead of the portal, in points of a hundred. */
const leastLead = 10;
const leastSpeedUp = 4;

installTools();
const { ours, stock, redoc, builds } = buildSites();

console.log('build                 cold CPU s   wall s   warm CPU s   wall s');
for (const [name, { cold, warm }] of Object.entries(builds))
  console.log(
    `${name.padEnd(22)}${[cold.cpuSeconds, cold.wallSeconds, warm.cpuSeconds, warm.wallSeconds].map((s) => s.toFixed(1).padStart(8)).join(' ')}`,
  );

const pages = { home: '/', doc: '/docs/intro', blog: '/blog/welcome', api: '/apis/communities' };
for (const [page, path] of Object.entries(pages)) {
  const [own, other] = [await sightOf(ours, path), await sightOf(stock, path)];
  expectSight(`The ${page} page of ours`, own, other);
  expectSight(`The ${page} page of stock`, other, own);
}
const found = new Map<string, Audit[]>();
for (let round = 0; round < rounds; round += 1)
  for (const [page, path] of Object.entries(pages))
    for (const [name, folder] of [
      ['ours', ours],
      ['stock', stock],
    ] as const) {
      const key = `${page} ${name}`;
      found.set(key, [...(found.get(key) ?? []), await audit(folder, path)]);
    }

console.log(`\nLighthouse, mobile, medians of ${rounds}: performance, accessibility, best practices, SEO`);
const middle = (key: string, field: keyof Audit) => median((found.get(key) ?? []).map((one) => one[field]));
for (const key of found.keys())
  console.log(
    `${key.padEnd(12)} ${(['performance', 'accessibility', 'bestPractices', 'seo'] as const).map((field) => middle(key, field)).join(' / ')}` +
      `  TBT ${middle(key, 'blockingMs').toFixed(0)} ms, LCP ${middle(key, 'largestPaintMs').toFixed(0)} ms,` +
      ` scripts ${middle(key, 'scriptKilobytes').toFixed(1)} KB, fetched ahead ${middle(key, 'aheadKilobytes').toFixed(1)} KB`,
  );
for (const key of found.keys())
  expectBaseline(middle(key, 'scriptKilobytes') > 0, `Lighthouse saw no script on ${key}.`);
for (const page of Object.keys(pages)) {
  const lead = middle(`${page} ours`, 'performance') - middle(`${page} stock`, 'performance');
  console.log(`${page}: ${lead} points above stock, wanted ${leastLead}: ${lead >= leastLead ? 'met' : 'MISSED'}`);
}
const bytes = middle('doc ours', 'scriptKilobytes') / middle('doc stock', 'scriptKilobytes');
console.log(`JavaScript of a doc page: ${bytes.toFixed(2)} of stock, wanted below 1: ${bytes < 1 ? 'met' : 'MISSED'}`);

/** Each reference and its first operation. */
const references = {
  ours: { folder: ours, first: 'main ul a code' },
  redoc: { folder: redoc, first: '[data-section-id*="operation/"] h2' },
};
expectSight('The reference of Redoc', await sightOf(redoc, '/apis/'), await sightOf(ours, '/apis/'));
const sights: Record<keyof typeof references, FirstSight[]> = { ours: [], redoc: [] };
for (let round = 0; round < rounds; round += 1)
  for (const name of ['ours', 'redoc'] as const) {
    const { folder, first } = references[name];
    sights[name].push(await firstOperation(folder, '/apis/', first));
  }

console.log(`\nfirst operation of /apis/, 4 times slower processor and 1.6 Mbit/s, medians of ${rounds}`);
const timeOf = (name: keyof typeof references, field: keyof FirstSight) =>
  median(sights[name].map((sight) => sight[field]));
for (const [field, words] of [
  ['paintedMs', 'painted'],
  ['answersMs', 'visible on a page that answers'],
] as const)
  console.log(
    `${words}: ${timeOf('ours', field).toFixed(0)} ms, Redoc preset ${timeOf('redoc', field).toFixed(0)} ms,` +
      ` ${(timeOf('redoc', field) / timeOf('ours', field)).toFixed(1)} times sooner`,
  );
const speedUp = timeOf('redoc', 'answersMs') / timeOf('ours', 'answersMs');
console.log(`wanted ${leastSpeedUp} times: ${speedUp >= leastSpeedUp ? 'met' : 'MISSED'}`);

async function sightOf(folder: string, path: string) {
  const site = await servePortal({ folder, host: '127.0.0.1', port: 0 });
  try {
    return await lookAt(`${site.url}${path}`);
  } finally {
    await site.close();
  }
}
