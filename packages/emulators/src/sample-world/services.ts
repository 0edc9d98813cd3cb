import type { EmulatorAddress } from '../http-emulator/index.ts';
import { type OpenSeaEmulator, startOpenSeaEmulator } from '../opensea/index.ts';
import { type SnapshotEmulator, startSnapshotEmulator } from '../snapshot/index.ts';
import { startTokenproofEmulator, type TokenproofEmulator } from '../tokenproof/index.ts';
import type { SampleMember } from './members.ts';

/** The services around a community whose accounts cost money or need an application elsewhere. */
export interface SampleServices {
  snapshot: SnapshotEmulator;
  opensea: OpenSeaEmulator;
  tokenproof: TokenproofEmulator;
}

export interface SampleServicesOptions {
  openSeaKey?: string | undefined;
  tokenproofSecret?: string | undefined;
}

/** The space that proposals are about, and the collection whose tokens members hold at OpenSea. */
export const sampleSpace = { id: 'sample.eth', name: 'Sample DAO' } as const;
export const sampleCollection = { slug: 'sample-prints', chain: 'ethereum', holders: 10 } as const;

/** Starts each at its own address. */
export async function startSampleServices(
  keep: <Emulator extends { stop(): Promise<unknown> }>(starting: Promise<Emulator>) => Promise<Emulator>,
  addresses: Readonly<Record<keyof SampleServices, EmulatorAddress>>,
  { openSeaKey, tokenproofSecret }: SampleServicesOptions,
): Promise<SampleServices> {
  const apiKey = openSeaKey === undefined ? {} : { apiKey: openSeaKey };
  const secret = tokenproofSecret === undefined ? {} : { secret: tokenproofSecret };
  const snapshot = await keep(startSnapshotEmulator(addresses.snapshot));
  const opensea = await keep(startOpenSeaEmulator({ ...addresses.opensea, ...apiKey }));
  const tokenproof = await keep(startTokenproofEmulator({ ...addresses.tokenproof, ...secret }));
  snapshot.state.spaces.push(sampleSpace);
  return { snapshot, opensea, tokenproof };
}

/** Gives the first members a profile and a token of a collection each. */
export function fillOpenSea({ state }: OpenSeaEmulator, members: readonly SampleMember[]): void {
  const { slug, chain, holders } = sampleCollection;
  state.collections.push({ slug, contracts: [{ address: `0x${'5a'.repeat(20)}`, chain }] });
  for (const [index, { address, name }] of members.slice(0, holders).entries()) {
    state.accounts.push({ address, username: name, bio: '' });
    state.tokens.push({ owner: address, chain, slug, identifier: String(index + 1) });
  }
}
