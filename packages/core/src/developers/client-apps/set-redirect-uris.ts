import { AppError } from '@latchkey/kernel';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import { checkRedirectUris } from './check-fields.ts';
import type { ClientApplication, RedirectUrisChange } from './client-app.ts';
import { getRecord } from './to-record.ts';

const maxNotes = 1000;
const loginGrants = ['authorization_code', 'refresh_token'];

/** Sets where logins may return to. The operator approved it with other addresses, so its history names these. */
export async function setRedirectUris(
  ctx: ChangeContext,
  { id, body }: { id: string; body: RedirectUrisChange },
): Promise<ClientApplication> {
  const redirectUris = checkRedirectUris(body.redirectUris);
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.client_type === 'apiKey')
      throw new AppError('STATE_CONFLICT', 'This application only calls with its key; nobody logs in with it.');
    // Whoever names where logins return to means the usual login.
    const grants =
      app.allowed_grant_types.length === 0 && redirectUris.length > 0 ? loginGrants : app.allowed_grant_types;
    return getRecord(
      tx,
      await change(ctx, tx, app, {
        action: 'set-redirect-uris',
        notes: redirectUris.join(' ').slice(0, maxNotes) || 'none',
        columns: { redirect_uris: redirectUris, allowed_grant_types: grants },
      }),
    );
  });
}
