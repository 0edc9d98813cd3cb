import type { Recipe } from './recipe.ts';

const folder = 'packages/chains/src/stellar/wallets';

export const walletNamespace: Recipe = {
  title: 'add a wallet namespace',
  atMost: 6,
  folder,
  checks: [`${folder}/stellar-wallets.test.ts`, 'scripts/architecture.test.ts'],
  apply: (tree) => {
    tree.create(
      `${folder}/index.ts`,
      `import type { WalletNamespace } from '@latchkey/core/ports';
import { base32 } from '@scure/base';
import { decodeText } from '../../decode-text.ts';
import { verifyEd25519 } from '../../ed25519.ts';
import { createWalletNamespace, invalid } from '../../wallet-namespace.ts';

const keyBytes = 32;
/** A version byte, the key and a checksum. */
const addressBytes = 1 + keyBytes + 2;
const accountVersion = 6 << 3;

/** Wallets of Stellar. An address is an Ed25519 key in base32, between a version byte and a checksum. */
export function createStellarWallets(): WalletNamespace {
  return createWalletNamespace({
    namespace: 'stellar',
    chains: ['pubnet'],
    normalizeAddress: (address) => (keyOf(address) ? address : undefined),
    verify: ({ address, message, signature }) => {
      const key = keyOf(address);
      if (typeof signature !== 'string') return invalid('The signature is not a text.');
      const isSigned = key && verifyEd25519(Buffer.from(signature, 'base64'), Buffer.from(message), key);
      return isSigned ? { kind: 'valid', address } : invalid('The signature does not match the message.');
    },
  });
}

function keyOf(address: string): Uint8Array | undefined {
  const bytes = decodeText(base32, address, addressBytes);
  if (bytes?.[0] !== accountVersion) return undefined;
  const [low, high] = bytes.subarray(addressBytes - 2);
  const isIntact = checksum(bytes.subarray(0, addressBytes - 2)) === (low ?? 0) + ((high ?? 0) << 8);
  return isIntact ? bytes.subarray(1, 1 + keyBytes) : undefined;
}

/** CRC-16/XMODEM, as SEP-23 prescribes it. */
function checksum(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}
`,
    );
    tree.create(
      `${folder}/stellar-wallets.test.ts`,
      `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStellarWallets } from './index.ts';

test('an address is known by its checksum, and a signature that does not match is invalid', async () => {
  const wallets = createStellarWallets();
  const address = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
  assert.equal(wallets.normalizeAddress(address, 'pubnet'), address);
  assert.equal(wallets.normalizeAddress(\`\${address.slice(0, -1)}A\`, 'pubnet'), undefined);
  const proof = { chain: 'pubnet', address, message: 'Hello', signature: 'AAAA' };
  assert.equal((await wallets.verify(proof)).kind, 'invalid');
});
`,
    );
    tree.insertBefore(
      'packages/chains/src/index.ts',
      'export { createTezosWallets,',
      "export { createStellarWallets } from './stellar/wallets/index.ts';\n",
    );
    tree.insertAfter('packages/server/src/compose/wallets.ts', '  createSolanaWallets,\n', '  createStellarWallets,\n');
    tree.insertBefore(
      'packages/server/src/compose/wallets.ts',
      '      tezos: createTezosWallets(),\n',
      '      stellar: createStellarWallets(),\n',
    );
    tree.insertBefore(
      'packages/core/src/identity/wallets/wallet-chains.ts',
      "  flow: { title: 'Flow',",
      "  stellar: { title: 'Stellar', main: 'pubnet', names: { mainnet: 'pubnet', stellar: 'pubnet' } },\n",
    );
    tree.insertBefore(
      'packages/core/src/linking/wallet-manager/namespaces.ts',
      "  flow: ['flow',",
      "  stellar: ['stellar', 'freighter', 'lobstr'],\n",
    );
    tree.insertBefore(
      'apps/console/src/wallets/chains.ts',
      "  flow: () => ({ name: 'Flow',",
      "  stellar: () => ({ name: 'Stellar', how: t('chain.how.plain'), signature: 'Base64' }),\n",
    );
    tree.insertBefore('docs/wallets.md', '| `flow` | the text', '| `stellar` | the text as bytes; base64 | | |\n');
  },
};
