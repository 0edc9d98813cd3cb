import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { assetKinds } from '../../../core/src/gating/rules/index.ts';
import { systemClock } from '../../src/clock.ts';
import { composeChains } from '../../src/compose/chains.ts';

/** Kinds that rules may name although nothing reads them, each with the reason. */
const unreadable: Readonly<Record<string, string>> = {
  'NFTY.INK': 'What it means was never published, so there is nothing that could be asked.',
};

/** Everything that the page about chains says can be configured. */
function readDocumentedNames(): string[] {
  const page = readFileSync(new URL('../../../../docs/chains.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
}

function composeWith(names: readonly string[], evmChains: readonly string[]) {
  const url = ['https://node.test'];
  const config = {
    evmRpcUrls: new Map(evmChains.map((chain) => [chain, url])),
    chainUrls: new Map(names.map((name) => [name, url])),
    serviceKeys: new Map(),
    ipfsGateway: undefined,
  };
  const egress = { send: () => assert.fail('composing asks nothing') };
  return composeChains(config, { clock: systemClock, egress }).holdings;
}

const askedBy = ({ name, chain, standard }: (typeof assetKinds)[number]) => ({
  name,
  chain: typeof chain === 'string' ? chain : `evm:${chain.evm ?? 1}`,
  standard,
});

test('every kind of rule is read when all that the documentation names is configured', () => {
  const holdings = composeWith(readDocumentedNames(), ['1', '56']);
  const unread = assetKinds.map(askedBy).filter((question) => !holdings.reads(question));
  assert.deepEqual(
    unread.map(({ name }) => name),
    Object.keys(unreadable),
  );
});

test('without any address no kind is read', () => {
  const holdings = composeWith([], []);
  assert.deepEqual(
    assetKinds.map(askedBy).filter((question) => holdings.reads(question)),
    [],
  );
});
