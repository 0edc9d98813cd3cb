import { escapeHtml, writePage } from '../../http/html.ts';
import type { Call } from '../call.ts';
import { json, type Reply } from '../reply.ts';
import { addBot } from '../state/guilds.ts';
import type { Application, Guild } from '../state/types.ts';

/** Returns true for a link that only adds a bot: Discord then asks for a server, and does not redirect afterwards. */
export function isInvitation({ query }: Call): boolean {
  const scopes = (query.get('scope') ?? '').split(/[ +]/);
  return scopes.includes('bot') && !query.has('redirect_uri') && !query.has('response_type');
}

/** Shows the page on which a user chooses the server for the bot. */
export function showInvitation(call: Call): Reply {
  return answerLink(call, (application) => {
    const named = call.query.get('guild_id');
    const guilds = [...call.world.guilds.values()].filter(({ id }) => named === null || id === named);
    const options = guilds.map(({ id, name }) => `<option value="${escapeHtml(id)}">${escapeHtml(name)}</option>`);
    const form = `<form method="post"><label>Add to server <select name="guild">${options.join('')}</select></label>
<button name="decision" value="allow">Authorize</button></form>`;
    return page(`${application.name} wants to join a server`, `<p>This is an emulator of Discord.</p>\n${form}`);
  });
}

/** Adds the bot with the permissions of the link. */
export function takeInvitation(call: Call): Reply {
  return answerLink(call, (application) => {
    const guild = getGuild(call);
    if (!guild.members.has(application.bot.id)) addBot(call.world, guild, application, permissionsIn(call));
    return page(
      'Authorized',
      `<p>${escapeHtml(application.name)} is in ${escapeHtml(guild.name)} now. You can close this page.</p>`,
    );
  });
}

function permissionsIn({ query }: Call): bigint {
  return BigInt(/^\d+$/.exec(query.get('permissions') ?? '')?.[0] ?? 0);
}

function getGuild({ world, body }: Call): Guild {
  const guild = world.guilds.get(String(body.guild ?? ''));
  if (guild === undefined) throw new Error('The emulator has no such guild.');
  return guild;
}

function page(title: string, body: string): Reply {
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: writePage(title, body) };
}

function answerLink(call: Call, answer: (application: Application) => Reply): Reply {
  try {
    const id = call.query.get('client_id') ?? '';
    const application = call.world.applications.get(id);
    if (application === undefined) throw new Error(`There is no application ${id}.`);
    return answer(application);
  } catch (error) {
    return json(400, { message: error instanceof Error ? error.message : String(error), code: 50035 });
  }
}
