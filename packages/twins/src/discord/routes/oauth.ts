import { findClient } from '../authenticate.ts';
import type { Call, Define } from '../call.ts';
import { refusal } from '../errors.ts';
import { showConsent } from '../oauth/authorize.ts';
import type { Grants } from '../oauth/grants.ts';
import { json, ok, type Reply } from '../reply.ts';
import type { Application } from '../state/types.ts';

/** Logging in with Discord: RFC 6749 with the errors that Discord gives. */
export function defineOAuth(grants: Grants): (define: Define) => void {
  return (define) => {
    const open = { isOpen: true };
    define('GET /oauth2/authorize', 'other', (call) => showConsent(call, grants), open);
    define('POST /oauth2/token', 'other', (call) => giveToken(call, grants), open);
    define('POST /oauth2/token/revoke', 'other', (call) => revokeToken(call, grants), open);
  };
}

const text = (call: Call, name: string): string => String(call.body[name] ?? '');

/** By HTTP Basic or by the fields of the form. */
function clientOf(call: Call): Application | undefined {
  if (call.actor.kind === 'client') return call.actor.application;
  return findClient(call.world, text(call, 'client_id'), text(call, 'client_secret'));
}

function giveToken(call: Call, grants: Grants): Reply {
  const application = clientOf(call);
  if (application === undefined) return json(401, { error: 'invalid_client' });
  switch (text(call, 'grant_type')) {
    case 'authorization_code': {
      const { code_verifier: verifier } = call.body;
      const redirectUri = text(call, 'redirect_uri');
      const proof = typeof verifier === 'string' ? verifier : undefined;
      return tokenOr(
        grants.exchange(application, text(call, 'code'), redirectUri, proof),
        'Invalid "code" in request.',
      );
    }
    case 'refresh_token':
      return tokenOr(grants.refresh(application, text(call, 'refresh_token')), 'Invalid "refresh_token" in request.');
    case 'client_credentials': {
      const scopes = new Set(
        text(call, 'scope')
          .split(' ')
          .filter((scope) => scope !== ''),
      );
      return ok(grants.issue(application, application.owner, scopes, false));
    }
    default:
      return json(400, { error: 'unsupported_grant_type', error_description: 'Grant type is not supported' });
  }
}

function tokenOr(token: unknown, description: string): Reply {
  return token === undefined ? json(400, { error: 'invalid_grant', error_description: description }) : ok(token);
}

function revokeToken(call: Call, grants: Grants): Reply {
  const application = clientOf(call);
  if (application === undefined) throw refusal('unauthorized');
  grants.revoke(application, text(call, 'token'));
  return ok({});
}
