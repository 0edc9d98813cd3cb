/**
 * Measures the first page of the console and the page that links wallets, with Lighthouse's mobile settings: a phone with a four times
 * slower CPU and 1.6 Mbit/s. The page that links wallets has no component library, so it is the baseline of the other. Run it with nothing
 * else running. `npm run bench -- console`
 */
import { contextFor, createConnectLink } from '@latchkey/core';
import { startTestServer } from '@latchkey/server/testing/test-server';
import { expectBaseline } from './baseline.ts';
import { installTools } from './portal/install-tools.ts';
import { median } from './portal/median.ts';
import { type Audit, auditPage } from './portal/run-lighthouse.ts';

const rounds = 3;

installTools();
await using server = await startTestServer();
const person = { userId: 'DIS#USER#1', platform: 'discord', name: 'alice' };
const operator = contextFor(server.services, { kind: 'admin', name: 'bench' });
const connectPage = async () => (await createConnectLink(operator, person, { withPasskeys: true })).url;
const pages = {
  console: { wanted: 90, url: async () => `${server.url}/console` },
  connect: { wanted: 95, url: connectPage },
};

const found = new Map<string, Audit[]>();
for (let round = 0; round < rounds; round += 1)
  for (const [name, { url }] of Object.entries(pages))
    found.set(name, [...(found.get(name) ?? []), await auditPage(await url())]);

console.log(`Lighthouse, mobile, medians of ${rounds}: performance, accessibility, best practices`);
const middle = (name: string, field: keyof Audit) => median((found.get(name) ?? []).map((one) => one[field]));
for (const name of found.keys())
  expectBaseline(middle(name, 'scriptKilobytes') > 0, `Lighthouse saw no script on the page ${name}.`);
for (const [name, { wanted }] of Object.entries(pages)) {
  const score = middle(name, 'performance');
  console.log(
    `${name.padEnd(9)} ${(['performance', 'accessibility', 'bestPractices'] as const).map((field) => middle(name, field)).join(' / ')}` +
      `  TBT ${middle(name, 'blockingMs').toFixed(0)} ms, LCP ${middle(name, 'largestPaintMs').toFixed(0)} ms` +
      ` (${(middle(name, 'largestPaintMs') / middle('connect', 'largestPaintMs')).toFixed(2)} of connect),` +
      ` scripts ${middle(name, 'scriptKilobytes').toFixed(1)} KB` +
      `, wanted ${wanted}: ${score >= wanted ? 'met' : 'MISSED'}`,
  );
}
