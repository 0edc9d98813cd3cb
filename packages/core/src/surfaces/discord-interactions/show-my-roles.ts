import { selectCommunity } from '../../communities/community-records/index.ts';
import { selectRolesOf } from '../../communities/memberships/index.ts';
import { selectRuledRoles } from '../../gating/role-changes/index.ts';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';
import { answer, linkToOwnRoles, plainName, readNames } from '../bot-replies/index.ts';
import { describeAnswer, type InteractionResponse } from './responses.ts';

/** How many servers are listed; the page that is linked below shows all. */
const mostServers = 10;

/** The roles of rules that a user has, in every server that they are in: as last seen, so that it takes no time. */
export async function showMyRoles(ctx: Context, userId: string): Promise<InteractionResponse> {
  const { system } = ctx.db;
  const t = messagesIn(ctx.locale);
  const lines: string[] = [];
  for (const { community_id, role_ids } of await selectRolesOf(system, userId)) {
    if (lines.length === mostServers) break;
    const community = await selectCommunity(system, community_id);
    if (community?.status !== 'active') continue;
    const ruled = await selectRuledRoles(system, community.id);
    const held = role_ids.filter((id) => ruled.includes(id));
    if (held.length === 0) continue;
    const names = await readNames(ctx, community, [], { t });
    lines.push(`• **${plainName(community.name)}**: ${held.map((id) => names.role(id)).join(', ')}`);
  }
  const text = lines.length === 0 ? t('discord.noRoles', { service: ctx.settings.serviceName }) : lines.join('\n');
  return describeAnswer(answer(text, [], linkToOwnRoles(ctx)));
}
