import assert from 'node:assert/strict';
import { it } from 'node:test';
import { base58 } from '@scure/base';
import { address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import { seededRandom } from '../../../vectors/mutate.ts';
import {
  associatedTokenAddress,
  editionAddress,
  metadataAddress,
  metadataProgram,
  token2022Program,
} from './program-addresses.ts';

it('derives the same addresses as Solana’s client library', async () => {
  const random = seededRandom('program addresses');
  const anyAddress = () => base58.encode(random.bytes(32));
  const derive = async (program: string, seeds: readonly (string | Uint8Array)[]) => {
    const [found] = await getProgramDerivedAddress({ programAddress: address(program), seeds: [...seeds] });
    return found;
  };
  const bytes = (text: string) => new Uint8Array(getAddressEncoder().encode(address(text)));
  for (let round = 0; round < 100; round += 1) {
    const [owner, mint] = [anyAddress(), anyAddress()];
    assert.equal(
      associatedTokenAddress(owner, mint, token2022Program),
      await derive('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', [owner, token2022Program, mint].map(bytes)),
    );
    const seeds = ['metadata', bytes(metadataProgram), bytes(mint)];
    assert.equal(metadataAddress(mint), await derive(metadataProgram, seeds));
    assert.equal(editionAddress(mint), await derive(metadataProgram, [...seeds, 'edition']));
  }
});
