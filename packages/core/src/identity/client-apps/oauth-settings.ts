import { AppError, notFound, op, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import { checkOauthSettings } from './check-fields.ts';
import { OauthSettings } from './client-app.ts';
import { findApp } from './queries.ts';
import { ownApp } from './reads.ts';

export async function getOauthSettings(ctx: Pick<Context, 'tx'>, { id }: { id: string }): Promise<OauthSettings> {
  return ctx.tx(async (tx) => {
    const app = await findApp(tx, id);
    if (app === undefined) throw notFound('client application');
    return app.oauth_settings;
  });
}

export async function setOauthSettings(
  ctx: ChangeContext,
  { id, body }: { id: string; body: OauthSettings },
): Promise<OauthSettings> {
  checkOauthSettings(body);
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (body.token_endpoint_auth_method !== undefined && app.client_type !== 'confidential')
      throw new AppError('STATE_CONFLICT', 'Only confidential applications authenticate.');
    const changed = await change(ctx, tx, app, {
      action: 'set-oauth-settings',
      notes: Object.keys(body).join(' ') || 'defaults',
      columns: { oauth_settings: body },
    });
    return changed.oauth_settings;
  });
}

const params = { id: T.String({ description: 'The client id.', minLength: 1, maxLength: 128 }) };

/** Operations on what an application sets for OAuth2 and OpenID Connect. */
export const oauthSettingsOperations = [
  op(
    'GET /latchkey/client-apps/{id}/oauth-settings',
    {
      id: 'getOauthSettings',
      summary: 'Get an application’s OAuth settings',
      description:
        'Returns how one of your client applications signs users in and out: how its id tokens are signed, how it authenticates, where users return after signing out, and where it is notified of it. Settings with their default are left out.',
      access: ownApp('id'),
      params,
      returns: OauthSettings,
      errors: ['ENTITY_NOT_FOUND'],
    },
    getOauthSettings,
  ),
  op(
    'PUT /latchkey/client-apps/{id}/oauth-settings',
    {
      id: 'setOauthSettings',
      summary: 'Set an application’s OAuth settings',
      description:
        'Sets how one of your client applications signs users in and out. The settings replace all current ones. The change is shown to the operator in `actions`.',
      audit: 'app.change',
      access: ownApp('id'),
      params,
      body: OauthSettings,
      returns: OauthSettings,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    setOauthSettings,
  ),
] as const;
