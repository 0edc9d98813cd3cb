import { type Context, createAdminKey, listAdminKeys, revokeAdminKey } from '@latchkey/core';
import { addSeconds } from '@latchkey/kernel';
import { type Command, need, UsageError, unknownSubcommand } from '../command.ts';
import { option } from '../input.ts';
import { print, printTable } from '../print.ts';
import { atCommandLine } from '../run-audited.ts';

export const adminKey: Command = {
  usage:
    'admin-key list | create [name] [--expires 90d] [--addresses "192.0.2.0/24 …"] [--reason "…"] | revoke <id> [--reason "…"]',
  meaning: 'list, create or revoke admin keys, with an optional expiry and allowed IP addresses',
  words: 2,
  options: {
    expires: option.short('A duration such as 90d or 12h, or a time.'),
    addresses: option.long('IP addresses or networks, separated by spaces.'),
    reason: option.reason,
  },
  run: async (ctx, [verb, value], { expires, addresses, reason }) => {
    const change = { ...atCommandLine(), reason };
    switch (verb) {
      case 'list':
        return showKeys(ctx);
      case 'create': {
        const allowedIpAddresses = (addresses ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
        const limits = { expiresAt: timeAfter(ctx.clock(), expires), allowedIpAddresses };
        const { id, key } = await createAdminKey(ctx, value ?? 'command line', limits, change);
        return print(`Key ${id}, shown only once:\n${key}`);
      }
      case 'revoke':
        await revokeAdminKey(ctx, need(value, 'key id: the part between "admin" and the dot'), change);
        return print('Key revoked.');
      default:
        throw unknownSubcommand(verb);
    }
  },
};

const unitSeconds = { h: 60 * 60, d: 24 * 60 * 60 } as const;

/** Parses a time: hours or days from now, or an absolute time. */
function timeAfter(now: Date, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = /^([1-9]\d{0,4})([hd])$/.exec(text) ?? [];
  const time =
    count === undefined ? new Date(text) : addSeconds(now, Number(count) * unitSeconds[unit === 'h' ? 'h' : 'd']);
  if (Number.isNaN(time.getTime()))
    throw new UsageError('--expires must be a duration such as 90d or 12h, or a time such as 2027-01-31T12:00:00Z.');
  return time;
}

async function showKeys(ctx: Context): Promise<void> {
  const now = ctx.clock();
  const keys = await listAdminKeys(ctx);
  printTable([
    ['ID', 'NAME', 'STATE', 'CREATED', 'EXPIRES', 'ADDRESSES'],
    ...keys.map(({ id, name, created_at, revoked_at, expires_at, allowed_ip_addresses }) => {
      const isOver = expires_at !== null && expires_at <= now;
      return [
        id,
        name,
        revoked_at !== null ? 'revoked' : isOver ? 'expired' : 'usable',
        created_at.toISOString(),
        expires_at?.toISOString() ?? 'never',
        allowed_ip_addresses.length === 0 ? 'any' : allowed_ip_addresses.join(' '),
      ];
    }),
  ]);
}
