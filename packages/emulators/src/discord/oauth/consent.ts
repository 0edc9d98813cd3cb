import { choosePerson, writePage } from '../../http/html.ts';
import type { Call } from '../call.ts';
import { json, type Reply } from '../reply.ts';
import type { User } from '../state/types.ts';
import { type Authorization, approve, checkLink, deny } from './authorize.ts';
import type { Grants } from './grants.ts';

/** Shows Discord's consent page, without a login: it asks which of the emulator's users you are, or reads `emulator_user`. */
export function showConsent(call: Call, grants: Grants): Reply {
  return answerLink(call, (request) => {
    const { world, query } = call;
    const user = world.users.get(query.get('emulator_user') ?? '');
    if (user) return redirect(approve(world, grants, user, request));
    const people = world.users.values().filter(({ isBot }) => !isBot);
    const form = choosePerson(
      people.map(({ id, username }) => ({ id, name: username })),
      [
        { text: 'Authorize', decision: 'allow' },
        { text: 'Cancel', decision: 'deny' },
      ],
    );
    const { name } = checkLink(world, request);
    const title = `${name} wants to access your account`;
    const body = writePage(title, `<p>This is an emulator of Discord. It asks for: ${request.scope}.</p>\n${form}`);
    return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
  });
}

/** Handles the user's decision on the page. */
export function takeDecision(call: Call, grants: Grants): Reply {
  return answerLink(call, (request) => {
    if (call.body.decision !== 'allow') return redirect(deny(call.world, request));
    return redirect(approve(call.world, grants, getPerson(call), request));
  });
}

function getPerson({ world, body }: Call): User {
  const user = world.users.get(String(body.user ?? ''));
  if (user === undefined || user.isBot) throw new Error('The emulator has no such person.');
  return user;
}

const redirect = (location: string): Reply => ({ status: 302, headers: { location } });

/** An invalid link gets an error page here and no redirect. */
function answerLink(call: Call, answer: (request: Authorization) => Reply): Reply {
  try {
    const request = readLink(call);
    checkLink(call.world, request);
    return answer(request);
  } catch (error) {
    return json(400, { message: error instanceof Error ? error.message : String(error), code: 50035 });
  }
}

function readLink({ query }: Call): Authorization {
  const codeChallenge = query.get('code_challenge') ?? undefined;
  if (query.get('response_type') !== 'code') throw new Error('Unsupported "response_type".');
  if (codeChallenge !== undefined && query.get('code_challenge_method') !== 'S256')
    throw new Error('Unsupported "code_challenge_method".');
  const scope = query.get('scope') ?? '';
  if (!/^[a-z._]+(?:[ +][a-z._]+)*$/.test(scope)) throw new Error('Invalid "scope".');
  return {
    clientId: query.get('client_id') ?? '',
    redirectUri: query.get('redirect_uri') ?? '',
    scope,
    state: query.get('state') ?? undefined,
    codeChallenge,
    guildId: query.get('guild_id') ?? undefined,
    permissions: BigInt(/^\d+$/.exec(query.get('permissions') ?? '')?.[0] ?? 0),
  };
}
