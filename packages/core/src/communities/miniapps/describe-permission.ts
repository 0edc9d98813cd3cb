import type { Context } from '../../context.ts';
import { findOrganizationName } from '../../developers/dev-orgs/index.ts';
import { describeScopes } from '../../developers/oauth2/index.ts';
import type { MiniAppRow } from './queries.ts';

const maxName = 60;

/**
 * The question whether an app may act for somebody, in this server’s own words: who asks, for what, how long, and how it
 * is ended. Of the app’s own text only its name is in it, so that no app can make the question look like another.
 */
export async function describePermission(
  ctx: Pick<Context, 'db' | 'settings'>,
  app: MiniAppRow,
  wish: { clientName: string; scopes: readonly string[]; ttlSeconds: number },
): Promise<string> {
  const name = plain(app.name);
  const developer = await findOrganizationName(ctx.db.system, app.organization_id);
  const described = await describeScopes(ctx, wish.scopes);
  const by = developer === undefined ? '' : ` by "${plain(developer)}"`;
  return [
    `**${ctx.settings.serviceName} asks: do you want to give "${name}" access to your account?**`,
    `"${name}" is a mini-app of this server${by}. It asks through its application "${plain(wish.clientName)}" to:`,
    ...described.map(({ description, scope }) => `• ${description} (\`${scope}\`)`),
    `Access ends after ${lasting(wish.ttlSeconds)}. You can revoke it before with \`/latchkey apps\`.`,
    'If you did not expect this question, press Cancel. Nothing else happens when you press Allow: no prize, role or token comes with it.',
  ].join('\n');
}

function lasting(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes % 60 === 0 ? `${minutes / 60} hour${minutes === 60 ? '' : 's'}` : `${minutes} minutes`;
}

/** A name without what Discord would draw differently: a name must not become a heading, a link or a line of its own. */
function plain(name: string): string {
  const flat = name
    .normalize('NFKC')
    .replace(/[*_~`|>#[\]()<@:"\\]/g, '')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return flat.length <= maxName ? flat : `${flat.slice(0, maxName - 1)}…`;
}
