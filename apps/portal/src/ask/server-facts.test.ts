import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverFacts } from './server-facts.ts';

const network = (chainId: number, description: string, name: string, hidden: boolean) => ({
  chainId,
  description,
  names: [name],
  hidden,
});
const state = {
  setUp: { telegram: true, reddit: false, solana: true, bitcoin: false },
  networks: [
    network(1, 'Ethereum', 'mainnet', false),
    network(137, 'Polygon', 'polygon', true),
    network(34443, 'Mode', 'mode', false),
  ],
};
const say = (question: string, known: Parameters<typeof serverFacts>[1] = state) =>
  serverFacts(question, known).map(({ sentence }) => sentence);

test('a question about a part of this server is answered from its settings', () => {
  assert.deepEqual(say('Is Telegram set up here?'), ['This server is connected to Telegram.']);
  assert.deepEqual(say('Can I use reddit on this server?'), ['This server is not connected to Reddit.']);
});

test('the chains that this server reads are listed', () => {
  assert.deepEqual(say('Which chains can rules read?'), ['This server reads Ethereum, Mode, Solana.']);
});

test('a chain is named with whether this server reads it', () => {
  assert.deepEqual(say('Can I use polygon tokens on this server?'), ['This server does not read Polygon.']);
  assert.deepEqual(say('Is Ethereum configured?'), ['This server reads Ethereum.']);
});

test('a chain that is called like an ordinary word is not taken for one', () => {
  assert.deepEqual(say('Is shadow mode set up?'), []);
});

test('nothing is said about what is unknown, and about Latchkey in general', () => {
  assert.deepEqual(say('Is Telegram set up here?', { setUp: {}, networks: undefined }), []);
  assert.deepEqual(say('Which chains does this server read?', { setUp: {}, networks: undefined }), []);
  assert.deepEqual(say('How do I join a Telegram group?'), []);
});
