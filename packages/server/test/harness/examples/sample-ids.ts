import { sampleGuild } from '@latchkey/emulators/sample-world';
import type { Example } from '../../../src/examples.ts';

const { holder, supporter, collector, insider, whale } = sampleGuild.roles;
const roleIds = [holder, supporter, collector, insider, whale].map(({ id }) => id);

/** The internal id of a community on Discord, as it is or in a path. */
const communities = /DIS(?:#|%23)COMM(?:#|%23)(\d{17,20})/g;
const snowflakes = /(?<=%23|[^\dA-Za-z%])\d{17,20}(?!\d)/g;
/** Ids grow with time, in milliseconds above the lowest 22 bits: a server's roles follow it within seconds. */
const sameMoment = 5_000n << 22n;

/**
 * Names the community that `npm start` brings, and its roles, in place of those of the recording: what readers copy and run is
 * about something that exists on a new server.
 */
export function asSampleCommunity(example: Example): Example {
  const text = JSON.stringify(example);
  const recorded = new Set([...text.matchAll(communities)].flatMap(([, id]) => id ?? []));
  const names = new Map<string, string>([...recorded].map((id) => [id, sampleGuild.id]));
  let roles = 0;
  for (const [id] of text.matchAll(snowflakes)) {
    if (names.has(id) || ![...recorded].some((guild) => isRoleOf(guild, id))) continue;
    names.set(id, roleIds[roles % roleIds.length] ?? holder.id);
    roles += 1;
  }
  return JSON.parse(text.replace(snowflakes, (id) => names.get(id) ?? id));
}

function isRoleOf(guild: string, id: string): boolean {
  const distance = BigInt(id) - BigInt(guild);
  return distance > 0n && distance < sameMoment;
}
