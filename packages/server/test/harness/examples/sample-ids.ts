import {
  readyGuild,
  sampleGuild,
  sampleNearAccounts,
  sampleSpace,
  sampleSubreddit,
} from '@latchkey/emulators/sample-world';
import type { Example } from '../../../src/examples.ts';
import { sampleKeys } from '../../../src/sandbox/index.ts';

const { holder, supporter, collector, insider, whale } = sampleGuild.roles;
const roleIds = [holder, supporter, collector, insider, whale].map(({ id }) => id);

/** The internal id of a community on Discord, as it is or in a path. */
const communities = /DIS(?:#|%23)COMM(?:#|%23)(\d{17,20})/g;
const snowflakes = /(?<=%23|[^\dA-Za-z%])\d{17,20}(?!\d)/g;
/** The role in the id of a rule. */
const rolesOfRules = /TPC(?:#|%23)\w+(?:#|%23)(\d{17,20})/g;
/** Ids grow with time, in milliseconds above the lowest 22 bits: a server's roles follow it within seconds. */
const sameMoment = 5_000n << 22n;

/** The account of one server on the NEAR network of the recording, and what belongs to it. */
const nearNames = /(?:([a-z]+)\.)?lk\d+\.testnet/g;
const [ada, ben] = sampleNearAccounts.people;
const nearPeople = new Map<string, string>([
  ['seller', ada],
  ['buyer', ben],
  // An account on NEAR has 64 characters at most, and those of a bridge begin with 40 of Ethereum's.
  ['factory', `bridge.${sampleNearAccounts.server}`],
]);
/** The sample network has the contracts of the recording already, so readers create others and change those. */
const ownContracts = new Map([
  ['art', 'gallery'],
  ['market', 'stall'],
]);
const changesContract =
  /^POST \/near-nft\/(?:token-contracts|market-contracts)(?:$|\/\{address\}(?:$|\/token-types|\/ft-token-ids))/;

/**
 * Names the community that `npm start` brings, its roles, and its accounts on NEAR, in place of those of the recording: what
 * readers copy and run is about something that exists on a new server.
 */
export function asSampleCommunity(example: Example, route: string): Example {
  const text = JSON.stringify(example);
  const recorded = new Set([...text.matchAll(communities)].flatMap(([, id]) => id ?? []));
  const guild = route === 'POST /communities' ? readyGuild.id : sampleGuild.id;
  const names = new Map<string, string>([...recorded].map((id) => [id, guild]));
  const ofRules = new Set([...text.matchAll(rolesOfRules)].map(([, id]) => id));
  let roles = 0;
  for (const [id] of text.matchAll(snowflakes)) {
    if (names.has(id) || roleIds.some((known) => known === id)) continue;
    if (!ofRules.has(id) && ![...recorded].some((one) => isRoleOf(one, id))) continue;
    names.set(id, roleIds[roles % roleIds.length] ?? holder.id);
    roles += 1;
  }
  const named = asSampleNear(text, route)
    .replace(snowflakes, (id) => names.get(id) ?? id)
    .replaceAll('cats.eth', sampleSpace.id)
    .replaceAll(/cats_\d+/g, sampleSubreddit.name)
    // They open nothing but the sample community's own webhooks.
    .replaceAll('snapshot-webhook-of-the-outside-world', sampleKeys['snapshot-webhook'])
    .replace('"authToken":"…"', `"authToken":"${sampleKeys.paymaster}"`);
  return JSON.parse(named);
}

function isRoleOf(guild: string, id: string): boolean {
  const distance = BigInt(id) - BigInt(guild);
  return distance > 0n && distance < sameMoment;
}

function asSampleNear(text: string, route: string): string {
  const isChanged = changesContract.test(route);
  const contractOf = (name: string) => (isChanged ? (ownContracts.get(name) ?? name) : name);
  return text
    .replace(nearNames, (_all, name?: string) => {
      if (name === undefined) return sampleNearAccounts.server;
      return nearPeople.get(name) ?? `${contractOf(name)}.${sampleNearAccounts.server}`;
    })
    .replace(/"contractId":"(\w+)"/g, (_all, name: string) => `"contractId":"${contractOf(name)}"`);
}
