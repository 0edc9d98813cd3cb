import { Router } from '../../http/router.ts';
import type { Misbehaviour } from '../../misbehave.ts';
import type { Counts } from '../counts.ts';
import { type Fields, isFields } from '../fields.ts';
import { json, noContent, type Reply } from '../reply.ts';
import type { Guild } from '../state/types.ts';
import { viewMessage, viewRole } from '../views.ts';
import type { GuildControl } from './guilds.ts';
import type { PeopleControl } from './people.ts';

interface Controlled extends GuildControl, PeopleControl {
  counts(): Counts;
  misbehave(what: Misbehaviour): () => void;
  behave(): void;
}

type Handler = (body: Fields, id: (name: string) => string) => Reply | Promise<Reply>;

export type ControlRoutes = Router<Handler>;

/** Creates the emulator's own pages under `/emulator`, for browsers and other processes. */
export function createControlRoutes(emulator: Controlled): ControlRoutes {
  const router = new Router<Handler>();
  const add = (label: string, handle: Handler) => {
    const [method = '', path = ''] = label.split(' ');
    router.add(method, path, handle);
  };
  add('GET /emulator', () => json(200, { see: ['/emulator/guilds', '/emulator/messages', '/emulator/counts'] }));
  add('GET /emulator/guilds', () => json(200, emulator.guilds().map(showGuild)));
  add('GET /emulator/guilds/:guild', (_, id) => json(200, showGuild(emulator.getGuild(id('guild')))));
  add('GET /emulator/messages', () =>
    json(
      200,
      emulator.sentMessages().map((message) => viewMessage(message)),
    ),
  );
  add('GET /emulator/counts', () => json(200, emulator.counts()));
  add('POST /emulator/guilds/:guild/members', (body, id) => {
    const name = typeof body.name === 'string' ? { name: body.name } : {};
    const userId = typeof body.id === 'string' ? { id: body.id } : {};
    return json(201, { id: emulator.addMember(id('guild'), { ...name, ...userId }).user.id });
  });
  add('DELETE /emulator/guilds/:guild/members/:user', (_, id) => {
    emulator.removeMember(id('guild'), id('user'));
    return noContent;
  });
  add('POST /emulator/press', async (body) => {
    const pressed = await emulator.press(asPress(body));
    const message = pressed.message();
    return json(200, { answer: pressed.answer, ...(message === undefined ? {} : { message: viewMessage(message) }) });
  });
  add('POST /emulator/misbehave', (body) => {
    emulator.misbehave(asMisbehaviour(body));
    return noContent;
  });
  add('DELETE /emulator/misbehave', () => {
    emulator.behave();
    return noContent;
  });
  return router;
}

export async function answerControl(
  router: ControlRoutes,
  method: string,
  path: string,
  body: unknown,
): Promise<Reply> {
  const match = router.find(method, path);
  if (match.kind !== 'found') return json(404, { error: 'Nothing is here. Try GET /emulator/guilds.' });
  try {
    return await match.target(isFields(body) ? body : {}, (name) => match.params[name] ?? '');
  } catch (error) {
    return json(400, { error: error instanceof Error ? error.message : String(error) });
  }
}

function showGuild(guild: Guild) {
  const nameOf = (roleId: string) => guild.roles.get(roleId)?.name ?? roleId;
  return {
    id: guild.id,
    name: guild.name,
    ownerId: guild.ownerId,
    roles: [...guild.roles.values()].sort((a, b) => b.position - a.position).map(viewRole),
    channels: Array.from(guild.channels.values(), ({ id, name }) => ({ id, name })),
    members: Array.from(guild.members.values(), ({ user, roles }) => ({
      id: user.id,
      name: user.username,
      ...(user.isBot ? { bot: true } : {}),
      roles: Array.from(roles, nameOf),
    })),
  };
}

/** The pages are for the developer running the emulator: a malformed body fails in the called function, with its own message. */
function asPress(body: Fields): Parameters<PeopleControl['press']>[0] {
  return body as unknown as Parameters<PeopleControl['press']>[0];
}

function asMisbehaviour(body: Fields): Misbehaviour {
  return body as unknown as Misbehaviour;
}
