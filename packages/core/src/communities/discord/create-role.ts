import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { rulingPermissions } from '../../ports/index.ts';
import { askDiscord, guildOf } from './ask-discord.ts';
import { type DiscordRoleCreate, type GuildRolesResponse, toRole } from './role.ts';

export async function createRole(
  ctx: Pick<Context, 'actor' | 'db' | 'discord'>,
  { guildId: id, body }: { guildId: string; body: DiscordRoleCreate },
): Promise<GuildRolesResponse> {
  const { guildId } = await guildOf(ctx, id);
  const { name, color, position, permissions, ...flags } = body;
  const reason = `Asked for by ${principalId(ctx.actor)}`;
  const wanted = {
    ...flags,
    name,
    ...(color === undefined ? {} : { color: readColor(color) }),
    ...(permissions === undefined ? {} : { permissions: harmless(permissions) }),
  };
  return askDiscord(ctx, async (discord) => {
    const role = await discord.createRole(guildId, wanted, reason);
    if (position === undefined || position === role.position) return toRole(role);
    await discord.moveRole(guildId, role.id, position, reason);
    return toRole({ ...role, position });
  });
}

function readColor(color: string): number {
  const hex = /^(?:#|0x)([0-9a-f]{6})$/i.exec(color)?.[1];
  const value = hex === undefined ? Number(/^\d{1,8}$/.test(color) ? color : Number.NaN) : Number.parseInt(hex, 16);
  if (Number.isInteger(value) && value <= 0xffffff) return value;
  throw refuse('/color', 'must be #rrggbb or a decimal number up to 16777215');
}

// Whoever may change rules here need not rule over the server in Discord, and must not become able to by a role.
function harmless(permissions: number): string {
  if (!Number.isSafeInteger(permissions)) throw refuse('/permissions', 'must be a whole number');
  const ruling = rulingPermissions(String(permissions));
  if (ruling.length > 0)
    throw refuse('/permissions', `must not hold ${ruling.join(', ')}: give these in Discord itself`);
  return String(permissions);
}

function refuse(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} ${message}.`, {
    details: [{ path, code: 'rule', message }],
  });
}
